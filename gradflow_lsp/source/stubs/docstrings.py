"""The shapes that docstrings, comments and annotations speak of.

People write `x: (B, T, 3)`, `[batch, seq_len]`, `N x C x H x W` or `BCHW`. Each such group is attached to the input
that is named nearest before it; one that comes after "returns" or an arrow is about the output and left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .program import FunctionNode
from .realising import usual_axis

_GROUP = re.compile(r"(?:(?<![\w.])|(?<=ensor)|(?<=shape)|(?<=size))[(\[]\s*([^()\[\]\n]*?)\s*(,?)\s*[)\]]")
_CROSSED = re.compile(r"(?<![\w.\]])\w+'?(?:\s+[x×]\s+\w+'?(?:\s*[*/+-]\s*\w+)?)+|(?<![\w.])\w+(?:×\w+)+")
_LETTERS = re.compile(r"\b[BN][CTLDHWFS]{1,4}\b")
_JAXTYPING = re.compile(r"\b(Float|Int|Integer|Bool|Shaped|Num|UInt8)\w*\[\s*[\w.]*,\s*[\"']([^\"'\n]+)[\"']\s*\]")
_OUTPUT = re.compile(
    r"->|→|=>|\b(returns?|returned|outputs?|out|yields?|gives?|renvoie|retourne)\b|返回|输出", re.IGNORECASE
)
_SQUARE = re.compile(r"(?<![\w.])(\d{2,4})\s*[x×*]\s*\1(?![\w.])")
_DTYPES = (
    (re.compile(r"\buint8\b|\bbytes?\b", re.IGNORECASE), "uint8"),
    (re.compile(r"\bbool(ean)?s?\b|\bmasks?\b", re.IGNORECASE), "bool"),
    (re.compile(r"\bint(64|32|eger|egers)?\b|\blong\b|\bids?\b|\bind(ex|ices)\b|\btokens?\b", re.IGNORECASE), "int64"),
    (re.compile(r"\bfloat64\b|\bdouble\b", re.IGNORECASE), "float64"),
)
_MOST_WORDS = 3
_FARTHEST = 160


@dataclass(frozen=True)
class Said:
    """What the text says of one input."""

    dims: tuple[int | str, ...]
    dtype: str | None = None


def shapes_said(
    texts: Iterable[str], inputs: list[str], alone: str | None, known: set[str]
) -> dict[tuple[str, ...], Said]:
    """Return what `texts` say of inputs, by name; `batch["speed"]` has the key `("batch", "speed")`.

    `alone` is the input that a shape without any name is about. `known` are names that may stand for a size. Where
    texts differ, the first one counts.
    """
    said: dict[tuple[str, ...], Said] = {}
    for text in texts:
        named = _mentions(text, inputs)
        for start, end, dims in _groups(text, known):
            before = [(at, stop, path) for at, stop, path in named if stop <= start]
            paths = _attached(text, before, start) if before else []
            is_first = not _OUTPUT.search(text[:start]) and not before
            if not paths and is_first and alone is not None:
                paths = [(alone,)]
            for path in paths:
                said.setdefault(path, Said(dims, _dtype(text, before[-1][1] if before else start, start, end)))
    return said


def sizes_mentioned(text: str) -> tuple[int, ...]:
    """Return the sides of squares that a file speaks of, as in `105x105`, in order."""
    return tuple(dict.fromkeys(int(match[1]) for match in _SQUARE.finditer(text) if int(match[1]) >= 8))


def texts_about(cls: ast.ClassDef, function: FunctionNode | None, comments: list[tuple[int, str, bool]]) -> list[str]:
    """Return the texts that may speak of a function's inputs, the nearest first.

    `comments` are (line, text, alone on its line). A comment in the body counts as long as nothing it names has been
    given a new value above it; one behind a parameter speaks of that parameter.
    """
    texts: list[str] = []
    if function is not None:
        texts += _signature_comments(function, comments)
        texts += [ast.get_docstring(function) or "", *_body_comments(function, comments)]
    texts.append(ast.get_docstring(cls) or "")
    for member in cls.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            texts.append(ast.get_docstring(member) or "")
            texts += [
                text for line, text, alone in comments if alone and member.lineno <= line <= (member.end_lineno or 0)
            ]
    return [text for text in texts if text]


def _signature_comments(function: FunctionNode, comments: list[tuple[int, str, bool]]) -> Iterator[str]:
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    for line, text, alone in comments:
        here = [parameter.arg for parameter in parameters if parameter.lineno == line]
        if len(here) == 1 and not alone:
            yield f"{here[0]}: {text}"


def _body_comments(function: FunctionNode, comments: list[tuple[int, str, bool]]) -> Iterator[str]:
    first_given: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            first_given[node.id] = min(node.lineno, first_given.get(node.id, node.lineno))
    for line, text, alone in comments:
        inside = function.lineno < line <= (function.end_lineno or 0)
        words = re.findall(r"\w+", text)
        if inside and alone and not any(first_given.get(word, line + 1) < line for word in words):
            yield text


def _mentions(text: str, inputs: list[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    if not inputs:
        return []
    names = "|".join(re.escape(name) for name in sorted(inputs, key=len, reverse=True))
    found = re.finditer(rf"(?<![\w.\"'])({names})((?:\[[\"']\w+[\"']\])*)(?![\w(])", text)
    return [(m.start(), m.end(), (m[1], *re.findall(r"\w+", m[2]))) for m in found]


def _attached(text: str, before: list[tuple[int, int, tuple[str, ...]]], start: int) -> list[tuple[str, ...]]:
    """Return the input mentioned last, and those it is listed with (`x, t: (N, 1)`)."""
    last = before[-1]
    between = text[last[1] : start]
    if _OUTPUT.search(between) or len(between) > _FARTHEST:
        return []
    paths = [last[2]]
    for one in reversed(before[:-1]):
        if not re.fullmatch(r"[`\s]*(?:,|and|et|&|/)[`\s]*", text[one[1] : last[0]]):
            break
        paths.append(one[2])
        last = one
    return paths


def _groups(text: str, known: set[str]) -> Iterator[tuple[int, int, tuple[int | str, ...]]]:
    found: list[tuple[int, int, list[str]]] = []
    for match in _GROUP.finditer(text):
        tokens = match[1].split(",") if match[1] else []
        if len(tokens) > 1 or match[2]:
            found.append((match.start(), match.end(), tokens))
    for match in _CROSSED.finditer(text):
        if re.match(r"\s*[x×]?\s*(\.\.\.|…)", text[match.end() :]):
            continue  # further axes are left open
        found.append((match.start(), match.end(), re.split(r"\s+[x×]\s+|×", match[0])))
    for match in _LETTERS.finditer(text):
        found.append((match.start(), match.end(), list(match[0])))
    for match in _JAXTYPING.finditer(text):
        found.append((match.start(), match.end(), match[2].split()))
    for start, end, tokens in sorted(found):
        dims = _dims(tokens, known)
        if dims is not None:
            yield start, end, dims


def _dims(tokens: list[str], known: set[str]) -> tuple[int | str, ...] | None:
    """Return the dims of a group, or `None` where it is something else in brackets."""
    dims: list[int | str] = []
    for token in tokens:
        plain = token.strip(" `'\"*_").replace("'", "")
        if not plain or len(plain.split()) > _MOST_WORDS or not re.fullmatch(r"[\w\s./+*-]+", plain):
            return None
        dims.append(int(plain) if plain.isdigit() else plain)
    names = [dim for dim in dims if isinstance(dim, str)]
    likely = [name for name in names if usual_axis(name) or name in known]
    if (
        any(dim == 0 for dim in dims)
        or len(dims) > 6
        or not (2 * len(likely) >= len(names) if names else len(dims) >= 4)
    ):
        return None
    return tuple(dims)


def _dtype(text: str, named: int, start: int, end: int) -> str | None:
    line_end = text.find("\n", end)
    after = re.split(r"[;.]\s|\), ", text[end : line_end if line_end >= 0 else len(text)])[0]
    kind = _JAXTYPING.match(text, start)
    if kind:
        return {"Int": "int64", "Integer": "int64", "Bool": "bool", "UInt8": "uint8"}.get(kind[1])
    around = text[named:start] + " " + after[:60]
    return next((dtype for pattern, dtype in _DTYPES if pattern.search(around)), None)
