"""A report as people and programs read it: text for a terminal, JSON for everything else, and the explanations."""
