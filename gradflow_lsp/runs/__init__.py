"""Starts, watches and ends the processes that run probes: a request and an interpreter in, always a report out."""
