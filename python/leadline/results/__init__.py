"""Reads reports and traces, and sorts them into configurations."""
