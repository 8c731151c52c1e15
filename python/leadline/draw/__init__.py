"""Shapes, colours, and the ways to draw them: SVG and matplotlib."""
