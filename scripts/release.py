#!/usr/bin/env python3
"""Builds all that a release consists of, and ends with checksums; `--allow-missing` skips what tools are missing for.

python3 scripts/release.py FOLDER [--allow-missing]

Crates, wheels, the programs and the library for C for this machine, the npm package, the recipe of the image, bills of
materials: each by the target of the Makefile that makes it, as far as there is one. The folder must be new or empty.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")

#: Files of an image: what is built from the repository's source, and how it is run.
SERVICE = ("Containerfile", "Caddyfile", "compose.yaml", "kubernetes.yaml")

#: Largest files that users install, in bytes.
MOST = {"cryptable": 25_000_000, "cryptable-server": 25_000_000, ".whl": 20_000_000}


def version() -> str:
    """Reads the version of the workspace."""
    found = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        sys.exit("Cargo.toml: no version")
    return found[1]


def has_target(name: str) -> bool:
    """Whether the Makefile has a target."""
    return re.search(rf"^{name}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE) is not None


def make(*targets: str) -> None:
    """Runs targets of the Makefile."""
    subprocess.run(["make", *targets], cwd=ROOT, check=True)


def check_sizes(paths: list[Path]) -> None:
    """Checks that no file is larger than users are told."""
    for path in paths:
        limit = MOST.get(path.name, MOST.get(path.suffix))
        if limit is not None and path.stat().st_size > limit:
            sys.exit(f"{path.name} has {path.stat().st_size} bytes, but must have at most {limit}")


def copy(paths: list[Path], folder: Path, what: str) -> None:
    """Copies what a step has made."""
    if not paths:
        sys.exit(f"{what}: nothing was made")
    check_sizes(paths)
    for path in paths:
        shutil.copy(path, folder)


def crates(folder: Path) -> None:
    """Packages every crate that is published."""
    shutil.rmtree(TARGET / "package", ignore_errors=True)
    make("release-check")
    copy(sorted((TARGET / "package").glob("*.crate")), folder, "crates")


def wheels(folder: Path) -> None:
    """Builds the wheels of all platforms that this machine can build for."""
    make("wheels")
    copy(sorted((ROOT / "target/wheels").glob("cryptable-*.whl")), folder, "wheels")


def programs(folder: Path) -> None:
    """Builds the programs and the library for C, and packs each with its licences."""
    make("programs", "capi")
    machine = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    platform = re.search(r"^host: (.*)$", machine, re.MULTILINE)[1]
    built = {name: [TARGET / "release" / name] for name in ("cryptable", "cryptable-server")}
    for name, paths in built.items():
        check_sizes(paths)
        pack(folder / f"{name}-{version()}-{platform}.tar.gz", name, paths)
    staged = TARGET / "release-capi"
    shutil.rmtree(staged, ignore_errors=True)
    make("capi-install", f"DESTDIR={staged}")
    pack(folder / f"libcryptable-{version()}-{platform}.tar.gz", "libcryptable", sorted(staged.iterdir()))


def pack(archive: Path, name: str, paths: list[Path]) -> None:
    """Writes an archive of files with the licences beside them."""
    with tarfile.open(archive, "w:gz") as out:
        for path in [*paths, *(ROOT / licence for licence in LICENCES)]:
            out.add(path, f"{name}-{version()}/{path.name}")


def npm(folder: Path) -> None:
    """Builds the package for browsers and Node."""
    make("wasm")
    copy(sorted((ROOT / "target/wasm").glob("*.tgz")), folder, "the npm package")


def image(folder: Path) -> None:
    """Writes the recipe of the image: a builder makes it of the source."""
    source = ROOT / "examples/service"
    pack(folder / f"cryptable-image-{version()}.tar.gz", "cryptable-image", [source / name for name in SERVICE])


def sbom(folder: Path) -> None:
    """Writes the bills of materials."""
    make("sbom")
    paths = sorted((ROOT / "target/sbom").glob("*.cdx.json"))
    if not paths:
        sys.exit("bills of materials: nothing was made")
    pack(folder / f"cryptable-sbom-{version()}.tar.gz", "cryptable-sbom", paths)


#: Parts of a release: name, how it is made, and the target of the Makefile and the tool that it needs, if any.
PARTS = (
    ("crates", crates, None, None),
    ("wheels", wheels, None, None),
    ("programs", programs, None, None),
    ("npm package", npm, "wasm", None),
    ("recipe of the image", image, None, None),
    ("bills of materials", sbom, None, "cargo-cyclonedx"),
)


def lacks(target: str | None, tool: str | None) -> str | None:
    """Names what a part needs and is missing, if anything."""
    if target and not has_target(target):
        return f"target `{target}` in the Makefile"
    return tool if tool and shutil.which(tool) is None else None


def write_checksums(folder: Path) -> None:
    """Writes the SHA-256 of every file, as `sha256sum --check` reads it."""
    lines = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--allow-missing"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    allow_missing, folder = "--allow-missing" in sys.argv[1:], Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"{folder} is not empty: remove it, or name another folder")
    missing = {name: lack for name, _, target, tool in PARTS if (lack := lacks(target, tool))}
    lines = [f"{name}: there is no {lack}" for name, lack in missing.items()]
    if missing and not allow_missing:
        sys.exit("\n".join([*lines, "--allow-missing releases without them"]))
    for name, build, _, _ in PARTS:
        if name not in missing:
            build(folder)
    write_checksums(folder)
    print((folder / "SHA256SUMS").read_text(encoding="utf-8"), end="")
    print("\n".join(f"NOT built: {line}" for line in lines))


if __name__ == "__main__":
    main()
