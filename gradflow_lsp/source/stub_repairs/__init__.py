"""Mending a probe that was written for a class and, when it was tried, did not run.

Three steps, each pure: what an error says is wrong with the sizes and kinds of tensors (`troubles`, a table of the
sentences of Python and torch); what in the text of a probe can be changed (`pieces`); and which changes might end the
trouble, the likeliest first (`repairing`). Whether one does is for a run to say.
"""
