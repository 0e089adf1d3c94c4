"""The keys of each judge as a table of Markdown, made from the models themselves.

    python -m ppslab.judge.claims.keys

writes them into the README of labs/_template; a test finds a README that differs.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ppslab.core import documents, paths
from ppslab.judge.claims.claim import JudgeWord

BEGIN = "<!-- made by `.venv/bin/python -m ppslab.judge.claims.keys` from the code's own models -->"
END = "<!-- end of what was made -->"


def file() -> Path:
    return paths.project_root() / "labs" / "_template" / "README.md"


def tables() -> str:
    """A heading, a sentence and a table for each judge, in the order of the code."""
    return "\n\n".join(_table(name, _model(info)) for name, info in JudgeWord.model_fields.items())


def _model(info: FieldInfo) -> type[BaseModel]:
    return next(
        each
        for each in info.annotation.__args__  # type: ignore[union-attr]
        if isinstance(each, type) and issubclass(each, BaseModel)
    )


def _table(name: str, model: type[BaseModel]) -> str:
    text = " ".join((model.__doc__ or "").split())
    rows = [
        f"| {key} | {_needed(info)} | {info.description or ''} |"
        for key, info in model.model_fields.items()
    ]
    return "\n".join(
        [f"`{name}`: {text}", "", "| key | left out | holds |", "|---|---|---|", *rows]
    )


def _needed(info: FieldInfo) -> str:
    if info.is_required():
        return "never"
    return "may be" if info.default is None else f"is {info.default}"


def with_tables(page: str) -> str:
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    documents.write_atomic(file(), with_tables(documents.read_text(file())))
