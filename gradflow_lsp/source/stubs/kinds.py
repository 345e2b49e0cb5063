"""Whether a value is an instance of a class, as far as that can be told."""

from __future__ import annotations

from typing import Any

from .code_values import ClassValue, External, Instance, Layer
from .values import Items, Record, Tensor, Unknown

_TYPES: dict[str, tuple[type, ...]] = {
    "builtins.int": (int,),
    "builtins.float": (float,),
    "builtins.str": (str,),
    "builtins.bool": (bool,),
    "builtins.list": (list,),
    "builtins.tuple": (tuple,),
    "builtins.dict": (dict,),
    "builtins.set": (set,),
    "torch.Tensor": (Tensor,),
    "numbers.Number": (int, float),
    "numbers.Integral": (int,),
}
for _abstract in ("Sequence", "Iterable", "Collection"):
    for _home in ("collections.abc", "typing", "collections"):
        _TYPES[f"{_home}.{_abstract}"] = (list, tuple, str)
for _home in ("collections.abc", "typing", "collections"):
    _TYPES[f"{_home}.Mapping"] = (dict,)


def is_a(value: Any, kind: Any) -> bool | None:
    """Return whether `value` is an instance of the class `kind`, or `None` where that cannot be told."""
    if isinstance(value, Unknown):
        return None
    if isinstance(kind, ClassValue):
        return isinstance(value, Instance) and kind in value.cls.line()
    if not isinstance(kind, External):
        return None
    if isinstance(value, Record):
        return kind.dotted in ("argparse.Namespace", "types.SimpleNamespace")
    if isinstance(value, Items) and kind.dotted in ("builtins.list", "builtins.tuple"):
        return kind.dotted == f"builtins.{value.form}"
    if kind.dotted in _TYPES:
        return isinstance(value, _TYPES[kind.dotted]) and not (
            kind.dotted == "builtins.int" and isinstance(value, bool)
        )
    if isinstance(value, Instance) and kind.dotted in value.cls.external_bases():
        return True
    if isinstance(value, Instance) and value.base is not None:
        value = value.base
    if kind.dotted in ("torch.nn.Module", "torch.nn.modules.Module"):
        return isinstance(value, Layer) or (isinstance(value, Instance) and value.cls.is_module())
    if kind.dotted.startswith("torch.nn."):
        return isinstance(value, Layer) and kind.dotted.rpartition(".")[2] == value.kind
    return False if isinstance(value, (int, float, str, list, tuple, dict)) else None
