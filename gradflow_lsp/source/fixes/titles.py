"""What each fix says that it does, as it stands in an editor's menu."""

from __future__ import annotations

SAMPLE = "Draw with rsample(), which passes gradients on"

WITH_TORCH = "Reckon with torch instead of numpy"
RETURN_AFTER = "Return after the loop, not in its first round"
FEWER_LAYERS = "Build only the layers that are called"


def remove(what: str) -> str:
    """Return the title of what takes something out."""
    return f"Remove {what}"


def remove_but_store(what: str, name: str) -> str:
    """Return the title of what takes a cut out, but leaves it where a value is stored."""
    return f"Remove {what}, and store {name}.detach()"


def write_instead(code: str) -> str:
    """Return the title of what puts other code in its place."""
    return f"Write {code}"


def keep_in(what: str, container: str) -> str:
    """Return the title of what makes a container register what it holds."""
    return f"Keep the {what} in an {container}"


def make_parameter(name: str) -> str:
    """Return the title of what makes a tensor a parameter."""
    return f"Make self.{name} an nn.Parameter"


def read_local(name: str) -> str:
    """Return the title of what reads a value on before it is stored."""
    return f"Store {name}, but go on with the value itself"


def return_module(function: str) -> str:
    """Return the title of what makes a module of a function that holds layers."""
    return f"Return an nn.Module from {function}(), not a lambda"


def build_once(name: str) -> str:
    """Return the title of what moves a layer from forward to the constructor."""
    return f"Build {name} once, in __init__, and keep it as self.{name}"


def remove_unused(name: str) -> str:
    """Return the title of what deletes a layer that nothing calls."""
    return f"Remove {name}, which nothing calls"


def straight_through(function: str) -> str:
    """Return the title of what passes the gradient by a step function."""
    return f"Pass the gradient straight through {function}()"


def never_flat(function: str) -> str:
    """Return the title of what takes the place of a function that is flat."""
    return f"Use {function}, which never goes flat"


def not_reentrant(function: str) -> str:
    """Return the title of the other kind of checkpoint."""
    return f"Call {function}() with use_reentrant=False"


INTENDED = "This is intended: mark the line"


def ignore(code: str) -> str:
    """Return the title of what hides a finding."""
    return f"Ignore {code} on this line"
