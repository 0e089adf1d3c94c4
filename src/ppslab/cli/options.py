"""The options of the measuring commands, each described once.

A command says which dataclass it fills, and gets an option for every field of it:

    @measuring(Options, without=("tester",), seed="Order of the transfers.")
    def tcp(name: LabName, options: Options) -> None:

Types, names and defaults come from the dataclass, so a new field becomes an option as soon as
`OPTIONS` has it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import Field, fields
from functools import wraps
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LabName = Annotated[str, typer.Argument(metavar="LAB", help="The lab, as `ppslab labs` lists it.")]

DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only show what would be done, command by command."),
]

OPTIONS: Final[Mapping[str, Any]] = {
    "conditions": typer.Option("--condition", help="Only this condition; may be repeated."),
    "sizes": typer.Option("--size", help="Only this frame size in bytes; may be repeated."),
    "size": typer.Option(help="Frame size in bytes; default: the lab's smallest."),
    "faults": typer.Option("--fault", help="Only this fault; may be repeated."),
    "backend": typer.Option(help="auto, namespaces, vm or containerlab."),
    "router": typer.Option(help="The router under test: linux or routeros."),
    "dut": typer.Option(
        help="The inventory of a router on your bench (book/bring-your-router.md)."
    ),
    "isolated": typer.Option(
        "--isolated", help="Confirm that no other device uses that router's network (RFC 6815)."
    ),
    "tester": typer.Option(help="ppstraffic, or one that a package brings."),
    "tester_config": typer.Option(
        envvar="PPSLAB_TESTER_CONFIG",
        help="The inventory file of a tester with its own ports (book/bring-your-router.md).",
    ),
    "profile": typer.Option(help="quick, standard or rfc2544."),
    "seed": typer.Option(help="Seed for the order of the trials; default: random."),
    "measure": typer.Option(help="counted (instructions) or timed (ns); default: as lab.yml says."),
    "search": typer.Option(help="Search for the throughput after the cost rounds."),
    "wait": typer.Option(help="If another measurement is running, wait for its end, or exit."),
    "out": typer.Option(help="Write the record here."),
}
"""By the name of the field that it fills; in this order `--help` lists them."""


def measuring(
    kind: type[DataclassInstance], *, without: Collection[str] = (), **helps: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that fill a `kind`, passed as its parameter `options`.

    `without`: fields that keep their defaults.  `helps`: texts for options that mean something else
    here.
    """
    known = {field.name: field for field in fields(kind)}
    chosen = [known[name] for name in OPTIONS if name in known and name not in without]
    undescribed = known.keys() - OPTIONS.keys() - set(without)
    assert not undescribed, f"{kind.__qualname__}: no option for {', '.join(undescribed)}"
    types = get_type_hints(kind)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(**given: Any) -> None:
            asked = {field.name: given.pop(field.name) for field in chosen}
            filled = {n: tuple(v) if isinstance(v, list) else v for n, v in asked.items()}
            command(options=kind(**filled), **given)

        found: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            if parameter.name == "options":
                found += [_parameter(f, types[f.name], helps.get(f.name)) for f in chosen]
            else:
                found.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        called.__signature__ = inspect.Signature(found)  # type: ignore[attr-defined]
        called.__annotations__ = {}
        return called

    return decorate


def _parameter(field: Field[Any], kind: Any, told: str | None) -> inspect.Parameter:
    """The option of one field, as typer reads it from a signature."""
    option = copy(OPTIONS[field.name])
    option.help = told or option.help
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=list(field.default) if isinstance(field.default, tuple) else field.default,
        annotation=Annotated[_typed(kind), option],
    )


def _typed(kind: Any) -> Any:
    """The type for a command line: a list for a tuple; text where few words are allowed.

    The measurement itself checks the words, and suggests near ones.
    """
    if get_origin(kind) is tuple:
        return list[get_args(kind)[0]]  # type: ignore[misc]
    if get_origin(kind) is UnionType and any(get_origin(one) is Literal for one in get_args(kind)):
        return str | None
    return str if get_origin(kind) is Literal else kind
