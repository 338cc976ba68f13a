#!/usr/bin/env python3
"""Builds the image of examples/service and runs it: as its user, with a read-only root, healthy, ended by SIGTERM.

python3 scripts/image_test.py PROGRAM

PODMAN names the builder and its options. PROGRAM is a `cryptable-server` for this machine: it stands in for what the
first stage compiles, and libraries of this machine for both base images, so that nothing is fetched. Every line of the
Containerfile is run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECIPE = ROOT / "examples/service/Containerfile"
PODMAN = shlex.split(os.environ.get("PODMAN", "podman"))
NAME = f"cryptable-image-test-{os.getpid()}"

#: Images that the recipe begins with.
BASES = re.findall(r"^FROM (\S+)", RECIPE.read_text(), re.MULTILINE)

#: What the first stage runs.
TOOLS = ("sh", "cp", "install", "mkdir")
CARGO = "#!/bin/sh\nmkdir -p target/release && cp /program target/release/cryptable-server\n"

#: Limits that a builder without rights of its own may set.
LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000", "--memory", "1g")


def podman(*words: object) -> str:
    """Runs the builder, and returns what it prints."""
    command = [*PODMAN, *map(str, words)]
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode != 0:
        sys.exit(f"{shlex.join(command)} ended with status {found.returncode}")
    return found.stdout.strip()


def libraries(program: Path) -> set[Path]:
    """Lists the libraries that a program of this machine is linked with, the one that loads them included."""
    listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {Path(found) for found in re.findall(r"(/\S+) \(0x", listed)}


def stand_in(name: str, folder: Path, programs: dict[str, Path]) -> None:
    """Makes an image of programs of this machine and of their libraries."""
    folder.mkdir()
    for place, program in programs.items():
        for path in {program, *libraries(program)}:
            inside = folder / (place if path == program else str(path)).lstrip("/")
            inside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, inside)
    (folder / "tmp").mkdir()
    (folder / "tmp/Containerfile").write_text("FROM scratch\nCOPY . /\n")
    if "bin/sh" in programs:
        cargo = folder / "bin/cargo"
        cargo.write_text(CARGO)
        cargo.chmod(0o755)
    podman("build", "--quiet", "--isolation", "chroot", "--file", folder / "tmp/Containerfile", "--tag", name, folder)


def build(program: Path, folder: Path) -> None:
    """Builds the image of the repository's files, by the recipe as it is."""
    first, last = BASES
    tools = {f"bin/{name}": Path(shutil.which(name)).resolve() for name in TOOLS}
    stand_in(first, folder / "first", {**tools, "program": program})
    stand_in(last, folder / "last", {"unused": program})
    source = folder / "source"
    source.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "--extract", "--directory", source], input=archive, check=True)
    podman("build", "--quiet", "--isolation", "chroot", "--format", "docker", "--file", RECIPE, "--tag", NAME, source)


def inspect() -> dict:
    """Returns the state of the container."""
    return json.loads(podman("inspect", "--type", "container", NAME))[0]["State"]


def check_healthy() -> None:
    """Waits until the image's own health check says so."""
    check = [*PODMAN, "healthcheck", "run", NAME]
    end = time.monotonic() + 60
    while subprocess.run(check, capture_output=True, check=False).returncode != 0:
        if time.monotonic() > end or not inspect()["Running"]:
            sys.exit(f"the server is not healthy:\n{podman('logs', NAME)}")
        time.sleep(0.5)


def check_process(user: int) -> None:
    """Checks that the server runs as its user, on a root that is read-only."""
    process = Path("/proc", str(inspect()["Pid"]))
    uids = re.search(r"^Uid:\s+(.*)$", (process / "status").read_text(), re.MULTILINE)[1].split()
    root = next(line for line in (process / "mountinfo").read_text().splitlines() if line.split()[4] == "/")
    if set(uids) != {str(user)} or not root.split()[5].startswith("ro"):
        sys.exit(f"users {uids}, root {root}")


def check_stop() -> None:
    """Checks that the server ends by itself when it is told to."""
    start = time.monotonic()
    podman("stop", "--time", "30", NAME)
    status, seconds = inspect()["ExitCode"], time.monotonic() - start
    if status != 0 or seconds > 20:
        sys.exit(f"status {status} after {seconds:.0f} s")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if shutil.which(PODMAN[0]) is None:
        sys.exit(f"there is no {PODMAN[0]}: Debian has it")
    user = int(re.search(r"^USER (\d+)", RECIPE.read_text(), re.MULTILINE)[1])
    with tempfile.TemporaryDirectory() as folder:
        build(Path(sys.argv[1]).resolve(), Path(folder))
    try:
        volume = f"{NAME}:/data"
        podman("run", "--detach", "--name", NAME, "--read-only", "--network", "none", "--volume", volume, *LIMITS, NAME)
        check_healthy()
        check_process(user)
        check_stop()
        # What it wrote is in the volume.
        podman("start", NAME)
        check_healthy()
        check_stop()
        print("the image was built, runs, and ends")
    finally:
        for words in (["rm", "--force", NAME], ["volume", "rm", NAME], ["rmi", NAME], ["rmi", *BASES]):
            subprocess.run([*PODMAN, *words], capture_output=True, check=False)


if __name__ == "__main__":
    main()
