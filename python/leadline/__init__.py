"""Leadline's front end: runs configurations and compares their reports."""
