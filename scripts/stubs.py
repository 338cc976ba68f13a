"""Writes the type stubs of the Python package from the library that was built, or checks those that are there.

`stubs.py TOOL LIBRARY FOLDER` writes them; with `--check` it fails if those of the folder differ. TOOL is the example
`stubs` of crates/python: it prints what the library says of itself. Types that a signature states as text become types
here, operators return their own class, and names are imported.
"""

import ast
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Where names come from that signatures state as text, beside classes of the library.
IMPORTS = {
    "Any": "typing",
    "Callable": "collections.abc",
    "Engine": "..tables",
    "Entries": "..tables",
    "Iterator": "collections.abc",
    "Literal": "typing",
    "Mapping": "collections.abc",
    "Progress": "..progress",
    "Sequence": "collections.abc",
    "Signs": "..tables",
    "TableLike": "..tables",
}
# How objects are pickled is nobody's business, and a module that registers its parts has no more than it states.
HIDDEN = ("__getattr__", "__getnewargs__", "__getnewargs_ex__", "__reduce__")
# Modules whose classes are meant by names that others have, too.
GENERAL = ("__init__", "ciphertexts", "plans", "tables")
MODULES = {"np": "import numpy as np", "npt": "import numpy.typing as npt"}


class Types(ast.NodeTransformer):
    """Makes types of texts, and states what operators of a class return."""

    def __init__(self) -> None:
        self.of_class: ast.ClassDef | None = None

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.of_class = node
        node.body = [it for it in node.body if getattr(it, "name", "") not in HIDDEN]
        self.generic_visit(node)
        self.of_class = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in every:
            if argument and argument.annotation:
                argument.annotation = unquoted(argument.annotation)
        if node.returns:
            node.returns = unquoted(node.returns)
        is_unknown = isinstance(node.returns, ast.Name) and node.returns.id == "Any"
        if self.of_class and is_unknown and is_operator(node.name) and is_array(self.of_class):
            result = "Iterator[{}]" if node.name == "__iter__" else "{}"
            node.returns = ast.parse(result.format(self.of_class.name), mode="eval").body
        return node


def is_operator(name: str) -> bool:
    return name.startswith("__") and name not in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


def is_array(node: ast.ClassDef) -> bool:
    """Whether a class has a shape: encrypted values compute with operators."""
    return any(isinstance(it, ast.FunctionDef) and it.name == "shape" for it in node.body)


def unquoted(annotation: ast.expr) -> ast.expr:
    """Makes a type of each text in an annotation, but of `Literal`."""

    class Texts(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.expr:
            return ast.parse(node.value, mode="eval").body if isinstance(node.value, str) else node

    return Texts().visit(annotation)


def names_of(tree: ast.Module) -> set[str]:
    """Names that annotations use."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def finished(text: str, own: str, modules: dict[str, str]) -> str:
    """Returns a stub with types for texts, and with its imports; `modules` are those of the library's classes."""
    tree = Types().visit(ast.parse(text))
    tree.body = [node for node in tree.body if getattr(node, "name", "") not in HIDDEN]
    known = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            known |= {alias.asname or alias.name for alias in node.names}
    lines = []
    for name in sorted(names_of(tree) - known):
        if name in MODULES:
            lines.append(MODULES[name])
        elif name in IMPORTS:
            lines.append(f"from {IMPORTS[name]} import {name}")
        elif name in modules:
            lines.append(f"from .{modules[name].removeprefix('__init__')} import {name}")
        elif name not in dir(__builtins__):
            sys.exit(f"{own}: no stub says what {name} is")
    start = 1 if isinstance(tree.body[0], ast.Expr) else 0
    tree.body[start:start] = ast.parse("\n".join(lines)).body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def main() -> None:
    arguments = [it for it in sys.argv[1:] if it != "--check"]
    tool, library, folder = arguments
    ruff = [sys.executable, "-m", "ruff"]
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([tool, library, made], check=True)
        paths = sorted(Path(made).glob("*.pyi"))
        modules: dict[str, str] = {}
        for path in sorted(paths, key=lambda path: path.stem not in GENERAL):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    modules.setdefault(node.name, path.stem)
        for path in paths:
            text = finished(path.read_text(encoding="utf-8"), path.stem, modules)
            path.write_text(text, encoding="utf-8")
        options = ["--quiet", "--config", "pyproject.toml"]
        subprocess.run([*ruff, "check", *options, "--select", "D200,D212,F401,I,RUF022,UP", "--fix", made], check=True)
        subprocess.run([*ruff, "format", *options, made], check=True)
        differences = []
        for path in paths:
            there, text = Path(folder, path.name), path.read_text(encoding="utf-8")
            # As those of numpy, comparisons of encrypted values are arrays.
            text = re.sub(r"(def __(?:eq|ne)__.* -> (?!bool|Any).*: \.\.\.)", r"\1  # type: ignore[override]", text)
            old = there.read_text(encoding="utf-8") if there.exists() else ""
            if "--check" in sys.argv:
                pair = old.splitlines(), text.splitlines()
                differences += difflib.unified_diff(*pair, str(there), "the library", lineterm="")
            else:
                there.write_text(text, encoding="utf-8")
    if differences:
        sys.exit("\n".join(differences[:40]) + "\nstubs differ from the library: `make stubs` writes them")


if __name__ == "__main__":
    main()
