"""Counts the public items at module level of the crate `cryptable`: a user reads the list."""

import pathlib
import re
import sys

LIMIT = 180
SOURCES = pathlib.Path(__file__).parent.parent / "crates/cryptable/src"
PUBLIC_MODULE = re.compile(r"^pub mod (\w+);", re.MULTILINE)
DEFINED = re.compile(r"^pub (?:const fn|mod|fn|struct|enum|trait|const|type) (\w+)", re.MULTILINE)
EXPORTED = re.compile(r"^ *pub use ([^;]+);", re.MULTILINE)


def items(path: pathlib.Path) -> list[str]:
    """Lists what a module defines and exports for its users."""
    text = re.sub(r"//.*", "", path.read_text())
    found = DEFINED.findall(text)
    for export in EXPORTED.findall(text):
        if "*" in export:
            sys.exit(f"{path}: a glob is exported")
        names = re.sub(r"[{}]", ",", export).split(",")
        braced = "{" in export
        found += [name.strip() for name in names if name.strip() and not (braced and name.endswith("::"))]
    return found


def main() -> None:
    """Counts, and fails where there are too many."""
    root = SOURCES / "lib.rs"
    modules = PUBLIC_MODULE.findall(root.read_text())
    counts = {"lib": len(items(root))}
    counts |= {name: len(items(SOURCES / f"{name}.rs")) for name in modules}
    total = sum(counts.values())
    if total > LIMIT:
        sys.exit(f"{total} public items, of {LIMIT} at most: {counts}")
    print(f"{total} public items at module level, of {LIMIT} at most")


if __name__ == "__main__":
    main()
