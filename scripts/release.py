#!/usr/bin/env python3
"""Builds all that a release consists of, and ends with checksums; `--allow-missing` goes without what is missing.

python3 scripts/release.py FOLDER [--allow-missing]

Crates, wheels, the programs and the library for C for this machine, the npm package, the server's image and its recipe,
bills of materials: each by the target of the Makefile that makes it, as far as there is one. The folder must be new or
empty. PODMAN names the builder of images.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")

PODMAN = shlex.split(os.environ.get("PODMAN", "podman"))

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


def recipe(folder: Path) -> None:
    """Writes the recipe of the image: a builder makes it of the source."""
    source = ROOT / "examples/service"
    pack(folder / f"cryptable-image-{version()}.tar.gz", "cryptable-image", [source / name for name in SERVICE])


def image(folder: Path) -> str | None:
    """Builds the server's image by its recipe, of base images that are fetched; says why not where they cannot be."""
    tag = f"cryptable-server:{version()}"
    # Never of images that only bear the names of the base images, as a test of this machine makes.
    build = [*PODMAN, "build", "--pull", "--file", ROOT / "examples/service/Containerfile", "--tag", tag, ROOT]
    if subprocess.run(build, check=False).returncode != 0:
        return "its builder failed: it needs the base images from their registries"
    archive = folder / f"cryptable-server-{version()}-image.tar"
    subprocess.run([*PODMAN, "save", "--output", archive, tag], check=True)
    return None


def sbom(folder: Path) -> None:
    """Writes the bills of materials."""
    make("sbom")
    paths = sorted((ROOT / "target/sbom").glob("*.cdx.json"))
    if not paths:
        sys.exit("bills of materials: nothing was made")
    pack(folder / f"cryptable-sbom-{version()}.tar.gz", "cryptable-sbom", paths)


#: Parts of a release: name, how it is made, and the tools that it needs beyond those of the project.
PARTS = (
    ("crates", crates, ()),
    ("wheels for Linux", wheels, ()),
    ("programs and library for C", programs, ()),
    ("npm package", npm, ("wasm-bindgen", "npm")),
    ("recipe of the image", recipe, ()),
    ("image", image, PODMAN[:1]),
    ("bills of materials", sbom, ("cargo-cyclonedx",)),
)

#: Parts that other machines build.
ELSEWHERE = "wheels, programs and library for macOS: `make wheel programs capi` there"


def write_checksums(folder: Path) -> None:
    """Writes the SHA-256 of every file, as `sha256sum --check` reads it."""
    lines = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def listed(missing: dict[str, str]) -> list[str]:
    """Lists what is not built, and why."""
    return [f"{name}: {reason}" for name, reason in missing.items()]


def refuse(missing: dict[str, str], allow_missing: bool) -> None:
    """Ends unless everything is there, or may be missing."""
    if missing and not allow_missing:
        sys.exit("\n".join([*listed(missing), "--allow-missing releases without them"]))


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--allow-missing"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    allow_missing, folder = "--allow-missing" in sys.argv[1:], Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"{folder} is not empty: remove it, or name another folder")
    missing = {}
    for name, _, tools in PARTS:
        if lack := [tool for tool in tools if shutil.which(tool) is None]:
            missing[name] = f"there is no {' and no '.join(lack)}"
    refuse(missing, allow_missing)
    for name, build, _ in PARTS:
        if name not in missing and (reason := build(folder)):
            missing[name] = reason
            refuse(missing, allow_missing)
    write_checksums(folder)
    print((folder / "SHA256SUMS").read_text(encoding="utf-8"), end="")
    print("\n".join(f"NOT built: {line}" for line in [*listed(missing), ELSEWHERE]))


if __name__ == "__main__":
    main()
