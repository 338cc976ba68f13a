#!/usr/bin/env python3
"""Checks manifests and documents for a release; `--release` also requires the version in the changelog.

python3 scripts/release_check.py [--release]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Texts of the licences, which every package has to have.
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")

#: Longest lists and names that crates.io takes.
MOST_KEYWORDS, LONGEST_KEYWORD = 5, 20


def metadata(*options: str) -> list[dict]:
    """Returns the metadata of crates, by cargo."""
    command = ["cargo", "metadata", "--format-version", "1", *options]
    found = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(found.stdout)["packages"]


def packages() -> tuple[list[dict], list[dict]]:
    """The crates of the workspace, and those of others that `Cargo.lock` names, as cargo sees them."""
    try:
        crates = metadata("--all-features", "--locked")
    except subprocess.CalledProcessError:
        # Crates of other platforms and features come from the network, which not every machine has.
        print("the oldest Rust of other crates is NOT checked: they are not at hand")
        crates = metadata("--no-deps", "--offline")
    return [crate for crate in crates if not crate["source"]], [crate for crate in crates if crate["source"]]


def problems_of(package: dict, shared: dict, private: set[str]) -> list[str]:
    """Lists the fields that a crate lacks."""
    name, found = package["name"], []
    for key in ("version", "rust_version", "license"):
        if package[key] != shared[key]:
            found.append(f"{name}: {key} is {package[key]}, not the workspace's {shared[key]}")
    for key in ("description", "readme", "keywords", "categories"):
        if not package[key]:
            found.append(f"{name}: no {key}")
    keywords = package["keywords"]
    if len(keywords) > MOST_KEYWORDS or any(len(keyword) > LONGEST_KEYWORD for keyword in keywords):
        found.append(f"{name}: keywords {keywords} are too many or too long")
    for dependency in package["dependencies"]:
        # Packages do not have development dependencies by path alone.
        if dependency.get("path") is None or dependency["kind"] == "dev":
            continue
        if dependency["req"] != f"^{shared['version']}":
            found.append(f"{name}: {dependency['name']} {dependency['req']}, not {shared['version']}")
        if package["publish"] is None and dependency["name"] in private:
            found.append(f"{name}: is published, but not {dependency['name']}, which it needs")
    return found


def problems_of_licences(package: dict) -> list[str]:
    """Texts of licences that a crate's package lacks, or has otherwise than the repository."""
    name, folder = package["name"], Path(package["manifest_path"]).parent
    command = ["cargo", "package", "--list", "--quiet", "--allow-dirty", "--offline", "--package", name]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = []
    for licence in LICENCES:
        if licence not in listed:
            found.append(f"{name}: its package has no {licence}")
        elif (folder / licence).read_text(encoding="utf-8") != text_of(licence):
            found.append(f"{name}: its {licence} is not the repository's")
    return found


def problems_of_documents(shared: dict, is_release: bool) -> list[str]:
    """Checks the versions in the changelog and other documents."""
    found = []
    headings = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    if not headings:
        found.append("CHANGELOG.md: no versions")
    elif is_release and not headings[0].startswith(shared["version"]):
        found.append(f"CHANGELOG.md: begins with {headings[0]!r}, not with {shared['version']}")
    for document in ("README.md", "CONTRIBUTING.md", "crates/python/README.md"):
        if shared["rust_version"] not in text_of(document):
            found.append(f"{document}: does not name Rust {shared['rust_version']}")
    project = text_of("pyproject.toml")
    if 'dynamic = ["version"]' not in project:
        found.append("pyproject.toml: the version is Cargo.toml's")
    if f'license = "{shared["license"]}"' not in project:
        found.append(f"pyproject.toml: the licence is not {shared['license']}")
    if f"license-files = {json.dumps(list(LICENCES))}" not in project:
        found.append(f"pyproject.toml: the licence files are not {', '.join(LICENCES)}")
    least = re.search(r'requires-python = ">=3\.(\d+)"', project)
    if least is None or f"abi3-py3{least[1]}" not in text_of("Cargo.toml"):
        found.append("Cargo.toml: pyo3's abi3 is not that of the oldest Python of pyproject.toml")
    return found


def problems_of_oldest(shared: dict, others: list[dict]) -> list[str]:
    """Crates of others that need a later Rust than this project says; clippy sees to what its own code needs."""

    def version(text: str) -> list[int]:
        parts = [int(part) for part in text.split(".")]
        return parts + [0] * (3 - len(parts))

    oldest = version(shared["rust_version"])
    return [
        f"{crate['name']} {crate['version']}: needs Rust {crate['rust_version']}, after {shared['rust_version']}"
        for crate in others
        if crate["rust_version"] and version(crate["rust_version"]) > oldest
    ]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def main() -> None:
    crates, others = packages()
    # All inherit what the workspace says.
    shared = next(crate for crate in crates if crate["name"] == "cryptable")
    private = {crate["name"] for crate in crates if crate["publish"] == []}
    problems = [problem for crate in crates for problem in problems_of(crate, shared, private)]
    problems += [problem for crate in crates for problem in problems_of_licences(crate)]
    problems += problems_of_documents(shared, "--release" in sys.argv[1:])
    problems += problems_of_oldest(shared, others)
    if problems:
        sys.exit("\n".join(problems))
    print(
        f"{len(crates)} crates of version {shared['version']}, Rust {shared['rust_version']}, {len(others)} of others"
    )


if __name__ == "__main__":
    main()
