"""Runs programs in many configurations, and makes reports of what they wrote."""
