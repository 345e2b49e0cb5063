"""Estimates the depth of ground water from a row of readings."""
