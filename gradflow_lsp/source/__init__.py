"""What can be known of Python text without running it: probes, model classes, layers, and a probe for a class.

Everything here works on half-typed text and never imports or executes anything of the user's.
"""
