"""Writing a probe for a model class: everything between the text of a class and the text of its probe.

How it works, in one paragraph: guess the constructor's arguments and forward's inputs (`guesses`, from names,
annotations, docstrings and comments); walk through the class with shapes in place of tensors (`walker`, with the rules
of `layers` and `operations`); where something does not fit, the misfit says which guess it came from, so change that
one and walk again (`solving`). What fits is made better where that is easy: a smaller model, flags and further calls
that reach more (`completing`). What comes of it is written down (`rendering`). Nothing of the user's is executed.
"""
