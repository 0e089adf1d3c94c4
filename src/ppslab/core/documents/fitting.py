"""A document against a pydantic model: what does not fit is told as a sentence with its line."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ppslab.core.documents import Keys
from ppslab.core.errors import FileError, did_you_mean

if TYPE_CHECKING:
    from ppslab.core.documents import Document

Model = TypeVar("Model", bound=BaseModel)

# One error often brings others with it; more than these are not read.
MOST_ERRORS = 5


def validate(
    document: Document, model: type[Model], *, place: Callable[[Keys], str] | None = None
) -> Model:
    """The document's data as `model`; FileError with line and a near word where it does not fit.

    `place` turns a key path into the words that open the message ("node r1").

    Of several errors each has a line of its own, `path:line: ...`, the first in the file first.
    """
    try:
        return model.model_validate(document.data)
    except ValidationError as failure:
        found: dict[int, str] = {}
        # A misspelt key is the reason why another is missing: it is told first.
        errors = failure.errors(include_url=False)
        within = {error["loc"][:end] for error in errors for end in range(len(error["loc"]))}
        # A list whose items do not fit counts as too short: the items are the reason.
        errors = [e for e in errors if e["type"] != "too_short" or e["loc"] not in within]
        for error in sorted(errors, key=lambda error: error["type"] != "extra_forbidden"):
            keys = _keys(document.data, error["loc"])
            line = document.line(*keys)
            # The branches of a union each complain of the same line: the first will do.
            found.setdefault(line, _sentence(model, error, keys, place))
        (line, first), *others = sorted(found.items())[:MOST_ERRORS]
        also = "".join(f"\n{document.path}:{where}: {what}" for where, what in others)
        raise FileError(document.path, line, first + also) from None


def _keys(data: Any, loc: tuple[int | str, ...]) -> Keys:
    """The part of a pydantic location that is in the data: without the names of union branches."""
    keys: list[Any] = []
    for step in loc:
        try:
            data = data[step]
        except (TypeError, KeyError, IndexError):
            continue
        keys.append(step)
    return tuple(keys)


def _sentence(
    model: type[BaseModel], error: Any, keys: Keys, place: Callable[[Keys], str] | None
) -> str:
    kind, loc = error["type"], error["loc"]
    above = keys[:-1]
    if kind == "extra_forbidden":
        near = did_you_mean(loc[-1], _known(model, above))
        what = f'unknown key "{loc[-1]}"{near}{_listed(model, above)}'
    elif kind == "missing":
        above, what = keys, f'key "{loc[-1]}" is missing' + _listed(model, keys)
    elif kind in ("literal_error", "enum"):
        known = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        near = did_you_mean(error["input"], known) or f" (known: {', '.join(known)})"
        what = f'unknown {_last(keys)} "{error["input"]}"{near}'
    elif kind in ("too_short", "too_long") and isinstance(error["input"], list):
        least, most = (error["ctx"].get(bound) for bound in ("min_length", "max_length"))
        bound = f"at least {least}" if kind == "too_short" else f"at most {most}"
        what = f"{_last(keys)}: {bound}, not {len(error['input'])}"
    else:
        message = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
        message = re.sub(r"^Input should ", "should ", message)
        shown = "" if kind in ("value_error", "assertion_error") else f", not {_short(error)}"
        last = _last(keys)
        what = f"{last}: {message}{shown}" if last else message + shown
    where = (place or dotted)(above)
    return f"{where}: {what}" if where else what


def _last(keys: Keys) -> str:
    if keys and isinstance(keys[-1], int):
        return f"{_last(keys[:-1])}[{keys[-1]}]"
    return str(keys[-1]) if keys else ""


def _short(error: Any) -> str:
    shown = repr(error["input"])
    return shown if len(shown) <= 60 else shown[:57] + "..."


def dotted(keys: Keys) -> str:
    """("flows", "routing", 0) as `flows.routing[0]`."""
    shown = ""
    for key in keys:
        shown += f"[{key}]" if isinstance(key, int) else f".{key}" if shown else str(key)
    return shown


def _known(model: type[BaseModel], keys: Keys) -> set[str]:
    models = _models_at(model, keys)
    return {info.alias or name for one in models for name, info in one.model_fields.items()}


def _listed(model: type[BaseModel], keys: Keys) -> str:
    """List every key that may stand at `keys`; nothing where several models could be meant."""
    models = _models_at(model, keys)
    if len(models) != 1:
        return ""
    needed: list[str] = []
    may: list[str] = []
    for name, info in models[0].model_fields.items():
        (needed if info.is_required() else may).append(info.alias or name)
    optional = f"optional: {', '.join(may)}" if needed else ", ".join(may)
    parts = [part for part in (", ".join(needed), optional if may else "") if part]
    return f"; keys here: {'; '.join(parts)}" if parts else ""


def _models_at(annotation: Any, keys: Keys) -> list[type[BaseModel]]:
    now = _alternatives(annotation)
    for key in keys:
        after: list[Any] = []
        for one in now:
            if isinstance(one, type) and issubclass(one, BaseModel):
                for name, info in one.model_fields.items():
                    if key in (name, info.alias):
                        after += _alternatives(info.annotation)
            elif (inside := get_args(one)) and get_origin(one) is not None:
                # dict[str, X] -> X; list[X] and tuple[X, ...] -> X
                after += _alternatives(inside[1] if get_origin(one) is dict else inside[0])
        now = after
    return [one for one in now if isinstance(one, type) and issubclass(one, BaseModel)]


def _alternatives(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _alternatives(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [one for part in get_args(annotation) for one in _alternatives(part)]
    return [annotation]
