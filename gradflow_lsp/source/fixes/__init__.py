"""Quick fixes: for the cause of a bad gradient, the change to the text that mends it. Reads text, runs nothing.

A kind of cause has a function in `table`; it returns nothing where the mend would be a guess, would break something
else, or would only hide what is wrong.
"""
