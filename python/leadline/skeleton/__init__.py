"""Skeletons of programs: their polynomials, their fit, and what they predict."""
