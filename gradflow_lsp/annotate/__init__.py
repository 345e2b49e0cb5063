"""A report laid over documents: pure functions from reports and text to what stands on which line.

Nothing here knows the language server protocol, and nothing here touches a process or a file.
"""
