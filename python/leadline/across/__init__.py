"""Figures of different programs, machines and single runs, side by side."""
