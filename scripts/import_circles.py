#!/usr/bin/env python3
"""Finds circles of imports between the files of a crate, and fails if there is one.

python3 scripts/import_circles.py [CRATE_FOLDER ...]

A file imports another if a `use` or a path in it names an item of that one. Re-exports (`pub use`) are no imports, and
neither is what tests within a file import, nor what a module names of its own parts, the files in its folder. Without
arguments, all folders of `crates` are read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: A module's path within its crate, `()` the root.
Module = tuple[str, ...]

#: What is no code: comments, texts, characters; lifetimes are code.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|r(\#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])'""", re.DOTALL
)
INLINE_MODULE = re.compile(r"((?:#\[[^\]]*\]\s*)*)(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{")
IMPORT = re.compile(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
PATH = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")


def modules(source: Path) -> dict[Module, Path]:
    """The files of a crate by the modules that they are."""
    found = {}
    for file in sorted(source.rglob("*.rs")):
        parts = file.relative_to(source).with_suffix("").parts
        if parts[0] == "bin":
            continue
        if parts[-1] == "mod" or parts in (("lib",), ("main",)):
            parts = parts[:-1]
        found[parts] = file
    return found


def block_end(code: str, start: int) -> int:
    """Where the block ends whose opening brace is just before `start`."""
    depth = 1
    for position in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code)


def sections(code: str, module: Module) -> Iterator[tuple[Module, str]]:
    """The code of a module and of those written within it, without tests."""
    rest, position = [], 0
    while found := INLINE_MODULE.search(code, position):
        end = block_end(code, found.end())
        rest.append(code[position : found.start()])
        if "cfg(test)" not in found[1] and "cfg(all(test" not in found[1]:
            yield from sections(code[found.end() : end], (*module, found[2]))
        position = end + 1
    yield module, "".join([*rest, code[position:]])


def branches(tree: str) -> Iterator[str]:
    """The paths of a `use`, `a::{b, c::d}`, one by one."""
    start = tree.find("{")
    if start < 0:
        yield tree.split(" as ")[0].strip()
        return
    prefix, inside, depth, begin = tree[:start].strip(), tree[start + 1 : tree.rfind("}")], 0, 0
    for position, character in enumerate(inside + ","):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            part = inside[begin:position].strip()
            begin = position + 1
            if part:
                yield from branches(prefix + part)


def imported(code: str, module: Module, known: dict[Module, Path]) -> Iterator[str]:
    """Paths that a module's code imports or names, from `crate`, `super`, `self` or a module within it."""
    for is_public, tree in IMPORT.findall(code):
        if not is_public:
            yield from branches(re.sub(r"\s+", " ", tree))
    yield from PATH.findall(IMPORT.sub("", code))
    children = {other[-1] for other in known if other and other[:-1] == module}
    for name, _ in re.findall(r"(?<![\w:])(\w+)::(\w+)", IMPORT.sub("", code)):
        if name in children:
            yield f"self::{name}"


def target(path: str, module: Module, known: dict[Module, Path]) -> Module | None:
    """The module of the crate whose item a path names; none, if it is of another crate."""
    parts = path.split("::")
    at: list[str] = list(module)
    if parts[0] == "crate":
        at, parts = [], parts[1:]
    elif parts[0] in ("self", "super"):
        while parts and parts[0] in ("self", "super"):
            if parts[0] == "super":
                at = at[:-1]
            parts = parts[1:]
    elif (*module, parts[0]) not in known:
        return None
    for part in parts:
        if (*at, part) not in known:
            break
        at.append(part)
    return tuple(at)


def imports(known: dict[Module, Path]) -> dict[Path, set[Path]]:
    """Which files each file imports."""
    graph: dict[Path, set[Path]] = {}
    for module, file in known.items():
        code = NO_CODE.sub(" ", file.read_text(encoding="utf-8"))
        graph[file] = set()
        for within, text in sections(code, module):
            for path in imported(text, within, known):
                found = target(path, within, known)
                while found is not None and found not in known:
                    found = found[:-1]
                if found is not None and found[: len(module)] != module:
                    graph[file].add(known[found])
    return graph


def circles(graph: dict[Path, set[Path]]) -> list[list[Path]]:
    """The strongly connected parts of more than one file (Tarjan)."""
    order: dict[Path, int] = {}
    low: dict[Path, int] = {}
    waiting: list[Path] = []
    found = []

    def visit(file: Path) -> None:
        order[file] = low[file] = len(order)
        waiting.append(file)
        for other in sorted(graph[file]):
            if other not in order:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in waiting:
                low[file] = min(low[file], order[other])
        if low[file] == order[file]:
            start = waiting.index(file)
            if len(waiting) - start > 1:
                found.append(sorted(waiting[start:]))
            del waiting[start:]

    for file in sorted(graph):
        if file not in order:
            visit(file)
    return found


def main() -> None:
    sys.setrecursionlimit(10_000)
    crates = [Path(folder) for folder in sys.argv[1:]] or sorted((ROOT / "crates").iterdir())
    files, problems = 0, []
    for crate in crates:
        graph = imports(modules(crate / "src"))
        files += len(graph)
        for circle in circles(graph):
            names = {file: str(file.relative_to(crate / "src")) for file in circle}
            arrows = [f"{names[a]} -> {names[b]}" for a in circle for b in sorted(graph[a] & set(circle))]
            problems.append(f"{crate.name}: files import each other in a circle: {', '.join(arrows)}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{files} files of {len(crates)} crates: no circle of imports")


if __name__ == "__main__":
    main()
