"""Compares configurations, and says in words what the figures show."""
