"""The source of a module as MicroPython runs it, made from the Python that we write.

`lowered` takes away what only a type checker and a reader need (annotations, docstrings, comments,
imports for types), and turns three kinds of classes into plain ones:

- a `@dataclass` gets its `__init__` and, as Python's does, compares by its fields; fields may have
  a default or `field(default_factory=...)`, and `__post_init__` is called;
- a `NamedTuple` without defaults or methods becomes a `namedtuple`;
- a `StrEnum` becomes a class of strings: its members are compared, never counted or called.

A `TypeAlias` is None there: nothing asks for it but annotations.  `zip` loses `strict`, which
MicroPython has not: CPython, which answers the same in tests, has held it.  `[*a, b]` is a sum.

`dataclasses.replace` comes with STAND_INS, the modules that MicroPython lacks.
"""

from __future__ import annotations

import ast
from functools import reduce

STAND_INS = {
    "__future__.py": "annotations = None\n",
    "dataclasses.py": (
        "def replace(one, **changes):\n"
        "    fields = dict(one.__dict__)\n"
        "    fields.update(changes)\n"
        "    return type(one)(**fields)\n"
    ),
    "typing.py": (
        "TYPE_CHECKING = False\n"
        "class _Any:\n"
        "    def __getitem__(self, of):\n"
        "        return self\n"
        "Any = Final = ClassVar = Literal = Optional = Union = Callable = _Any()\n"
    ),
    "collections/__init__.py": "from ucollections import OrderedDict, deque, namedtuple\n",
    "collections/abc.py": (
        "Callable = Iterable = Iterator = Mapping = Sequence = MutableMapping = None\n"
        "class _Any:\n"
        "    def __getitem__(self, of):\n"
        "        return self\n"
        "Generator = _Any()\n"
    ),
    "importlib.py": "def import_module(name):\n    return __import__(name, None, None, ('x',))\n",
}
"""Modules of CPython that MicroPython lacks, as far as our own modules use them."""

_GONE = {"dataclass", "field", "NamedTuple", "StrEnum", "TypeAlias", "ClassVar"}


def lowered(text: str) -> str:
    """Return a module's text in MicroPython's Python; SyntaxError where a class cannot be lowered.

    >>> print(lowered("@dataclass(frozen=True)\\nclass Hop:\\n    name: str\\n    cost: int = 1"))
    class Hop:
    <BLANKLINE>
        def __init__(self, name, cost=1):
            self.name = name
            self.cost = cost
    <BLANKLINE>
        def __eq__(self, other):
            return isinstance(other, Hop) and (self.name, self.cost) == (other.name, other.cost)
    <BLANKLINE>
        def __hash__(self):
            return hash((self.name, self.cost))
    """
    return ast.unparse(ast.fix_missing_locations(_Lowering().visit(ast.parse(text))))


class _Lowering(ast.NodeTransformer):
    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        tuples = any(isinstance(each, ast.Assign) and _is_tuple(each.value) for each in node.body)
        if tuples:
            node.body.insert(0, ast.parse("from ucollections import namedtuple").body[0])
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        node.names = [alias for alias in node.names if alias.name not in _GONE]
        return node if node.names and node.module != "__future__" else None

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt] | None:
        self.generic_visit(node)
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return node.orelse or None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns = None
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for argument in (*every, node.args.vararg, node.args.kwarg):
            if argument:
                argument.annotation = None
        node.body = _without_docstring(node.body) or [ast.Pass()]
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if ast.unparse(node.func) == "zip":
            node.keywords = []
        return node

    def visit_List(self, node: ast.List) -> ast.expr:
        return self._summed(node, "list")

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        return self._summed(node, "tuple")

    def _summed(self, node: ast.List | ast.Tuple, kind: str) -> ast.expr:
        """`[*a, b]` as `list(a) + [b]`; the target of an assignment stays."""
        self.generic_visit(node)
        starred = any(isinstance(part, ast.Starred) for part in node.elts)
        if not starred or not isinstance(node.ctx, ast.Load):
            return node
        parts: list[ast.expr] = [
            ast.Call(ast.Name(kind), [part.value], [])
            if isinstance(part, ast.Starred)
            else type(node)([part], node.ctx)
            for part in node.elts
        ]
        return reduce(lambda left, right: ast.BinOp(left, ast.Add(), right), parts)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | None:
        self.generic_visit(node)
        if ast.unparse(node.annotation) == "TypeAlias":
            return ast.Assign([node.target], ast.Constant(None))
        return ast.Assign([node.target], node.value) if node.value else None

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        bases = [ast.unparse(base) for base in node.bases]
        fields = [each for each in node.body if _is_field(each)]
        if bases == ["NamedTuple"]:
            return _named_tuple(node, fields)
        words = next((word for word in node.decorator_list if _names(word) == "dataclass"), None)
        if words is not None:
            post = any(getattr(each, "name", "") == "__post_init__" for each in node.body)
            frozen = "frozen=True" in ast.unparse(words)
            node.body = [
                *ast.parse(_methods(node.name, fields, post=post, frozen=frozen)).body,
                *(each for each in node.body if each not in fields),
            ]
            node.decorator_list.remove(words)
        if bases == ["StrEnum"]:
            node.bases = []
        self.generic_visit(node)
        node.body = _without_docstring(node.body) or [ast.Pass()]
        return node


def _names(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation)


def _is_tuple(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "namedtuple"


def _named_tuple(node: ast.ClassDef, fields: list[ast.stmt]) -> ast.stmt:
    """`class Hop(NamedTuple)` as `Hop = namedtuple("Hop", (...))`."""
    rest = _without_docstring([each for each in node.body if each not in fields])
    if rest or any(each.value for each in fields if isinstance(each, ast.AnnAssign)):
        raise SyntaxError(f"NamedTuple {node.name}: MicroPython has no defaults and no methods")
    names = tuple(_field_name(each) for each in fields)
    return ast.parse(f"{node.name} = namedtuple({node.name!r}, {names!r})").body[0]


def _field_name(field: ast.stmt) -> str:
    assert isinstance(field, ast.AnnAssign)
    return ast.unparse(field.target)


def _methods(name: str, fields: list[ast.stmt], *, post: bool, frozen: bool) -> str:
    """The methods that Python's dataclass makes, as text."""
    parameters, lines = ["self"], []
    for field in fields:
        assert isinstance(field, ast.AnnAssign)
        own = _field_name(field)
        factory = None
        if isinstance(field.value, ast.Call) and ast.unparse(field.value.func) == "field":
            words = {word.arg: ast.unparse(word.value) for word in field.value.keywords}
            if set(words) != {"default_factory"}:
                raise SyntaxError(f"{name}.{own}: field() takes default_factory here, nothing else")
            factory = words["default_factory"]
        default = "None" if factory else field.value and ast.unparse(field.value)
        parameters.append(own if default is None else f"{own}={default}")
        lines.append(
            f"self.{own} = {f'{factory}() if {own} is None else {own}' if factory else own}"
        )
    if post:
        lines.append("self.__post_init__()")
    own_names = [_field_name(field) for field in fields]
    both = [f"({''.join(f'{one}.{own}, ' for own in own_names)})" for one in ("self", "other")]
    methods = [
        f"def __init__({', '.join(parameters)}):\n    " + "\n    ".join(lines or ["pass"]),
        f"def __eq__(self, other):\n    return isinstance(other, {name}) and {' == '.join(both)}",
    ]
    if frozen:
        methods.append(f"def __hash__(self):\n    return hash({both[0]})")
    return "\n".join(methods)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without strings that stand alone: of modules, classes, functions, fields."""
    return [
        each
        for each in body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
                and isinstance(each.value.value, str))
    ]  # fmt: skip
