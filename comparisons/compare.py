#!/usr/bin/env python3
"""Runs cryptable and its peers one after the other on one machine, and compares seconds.

A job runs on one core where its title names no threads.

Examples:
  python3 comparisons/compare.py install                      # all peers: half an hour of compiling
  python3 comparisons/compare.py install --peer poulpy        # one of them
  python3 comparisons/compare.py run --output lines.jsonl     # everything: 14 GB of memory, two hours
  python3 comparisons/compare.py run --only nand --only table-4 --rounds 3 --output lines.jsonl
  python3 comparisons/compare.py table lines.jsonl            # Markdown
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
BUILT = ROOT / "target" / "comparisons"
PEERS = ("openfhe", "concrete", "tfhe-rs", "poulpy")
OPENFHE_PYTHON = BUILT / "openfhe" / "bin" / "python"
CONCRETE_PYTHON = BUILT / "concrete" / "bin" / "python"
TFHE_RS = BUILT / "tfhe-rs" / "release" / "tfhe-rs-peer"
POULPY = BUILT / "poulpy" / "release" / "poulpy-peer"
CRYPTABLE = ROOT / "target" / "release" / "cryptable"
OPENFHE_WHEEL = "openfhe==1.6.1.0.22.4"
# Without torch, which Concrete imports for convolutions alone.
CONCRETE_WHEEL = "concrete-python==2.11.0"
CONCRETE_NEEDS = (
    "jsonpickle",
    "importlib-resources",
    "networkx",
    "numpy<2",
    "scipy",
    "setuptools<80",
    "typing_extensions",
    "z3-solver==4.13",
)


@dataclass(frozen=True)
class Subject:
    """One way to do a job: a program that prints a JSON line."""

    title: str
    command: tuple[str, ...]
    # Of programs that print a line an operation: the one that counts, on the fastest instruction set.
    operation: str = ""
    # Cores that the process is bound to, and threads of its pools.
    threads: int = 1


@dataclass(frozen=True)
class Job:
    """Lists the subjects of the comparison: cryptable's ways first, then those of peers."""

    name: str
    title: str
    subjects: tuple[Subject, ...]


def ours(title: str, *arguments: str, threads: int = 1) -> Subject:
    command = (str(CRYPTABLE), "--threads", str(threads), "--json", "--quiet", "bench", *arguments)
    return Subject("cryptable, " + title, command, threads=threads)


def our_step(degree: int) -> Subject:
    """A step of blind rotation, decomposition included."""
    few = ("--ring-degree", "4096", "--limbs", "4", "--digits", "2")
    return replace(ours("own transforms, decomposition included", "primitives", *few), operation=f"step, N = {degree}")


def openfhe(title: str, script: str, *arguments: str) -> Subject:
    return Subject("OpenFHE, " + title, (str(OPENFHE_PYTHON), str(FOLDER / "openfhe" / script), *arguments))


def concrete(title: str, *arguments: str) -> Subject:
    return Subject("Concrete, " + title, (str(CONCRETE_PYTHON), str(FOLDER / "concrete" / "table.py"), *arguments))


def tfhe_rs(title: str, *arguments: str, threads: int = 1) -> Subject:
    command = (str(TFHE_RS), *arguments, "--threads", str(threads))
    return Subject("tfhe-rs, " + title, command, threads=threads)


def poulpy(title: str, *arguments: str) -> Subject:
    return Subject("poulpy, " + title, (str(POULPY), *arguments))


def akp(bits: int, values: str) -> Job:
    runs = "1" if bits > 1 else "3"
    # Slots of poulpy have two values, except in the job of a bit; squares of a bit's cosine want a larger scale.
    packing = ("--real", "--scale", "35") if bits == 1 else ()
    return Job(
        f"akp-{bits}",
        f"random table of {bits} bit{'s' * (bits > 1)} on {values} values",
        (
            # The median of three is no first run, which waits for memory: poulpy runs once before it is timed, too.
            ours("AKP", "akp", "--bits", str(bits), "--runs", "3"),
            poulpy("AKP", "--raising", "--bits", str(bits), "--runs", runs, *packing),
            openfhe("AKP", "akp.py", "--bits", str(bits), "--runs", runs),
        ),
    )


OUR_TABLE_4 = "FDFB-BFVMult, interleaved"
JOBS = (
    Job(
        "nand",
        "NAND of two bits",
        (
            ours("2^-64", "gates"),
            ours("2^-128", "gates", "--log2-fail", "-128"),
            tfhe_rs("default, 2^-64", "nand", "--runs", "15"),
            openfhe("STD128_LMKCDEY", "nand.py", "--method", "LMKCDEY"),
            openfhe("STD128, GINX", "nand.py", "--method", "GINX"),
        ),
    ),
    Job(
        "table-4",
        "table of 4 bits on one value",
        (
            ours("any table, 2^-64", "fhew", "--p", "16", "--method", OUR_TABLE_4),
            ours("any table, 2^-128", "fhew", "--p", "16", "--log2-fail", "-128", "--method", "FDFB-BFVMult*"),
            tfhe_rs("below a bit of padding, 2^-128", "table4", "--runs", "15"),
            concrete("below a bit of padding, 2^-64", "--bits", "4", "--log2-fail", "-64"),
            concrete("below a bit of padding, 2^-17", "--bits", "4"),
        ),
    ),
    Job(
        "table-4-threads",
        "table of 4 bits on one value, two threads",
        (
            ours("any table, 2^-64", "fhew", "--p", "16", "--method", OUR_TABLE_4, "--batch", "1", threads=2),
            tfhe_rs("below a bit of padding, groups of 4, 2^-128", "table4-group4", "--runs", "15", threads=2),
            tfhe_rs("below a bit of padding, groups of 3, 2^-128", "table4-group3", "--runs", "15", threads=2),
        ),
    ),
    Job(
        "table-8",
        "table of 8 bits on one value",
        (
            ours("CMUX tree", "cmux-tree", "--bits", "8"),
            tfhe_rs("WoP-PBS", "table8"),
            tfhe_rs("match_value", "match8"),
            concrete("below a bit of padding, 2^-64", "--bits", "8", "--log2-fail", "-64"),
            concrete("below a bit of padding, 2^-17", "--bits", "8"),
        ),
    ),
    Job(
        "table-16",
        "table of 16 bits on one value",
        (ours("CMUX tree", "cmux-tree", "--bits", "16"), tfhe_rs("WoP-PBS", "table16")),
    ),
    Job(
        "aes",
        "AES-128 block under an encrypted key",
        (ours("CMUX trees", "aes"), tfhe_rs("gates of its transciphering, 2^-128", "aes", "--runs", "1")),
    ),
    *(
        Job(
            f"step-{degree}",
            f"step of blind rotation, N = {degree:,}, {rows} rows of digits, keys in the cache",
            (our_step(degree), tfhe_rs("tfhe-fft, without decomposition", f"step{degree}", "--runs", "15")),
        )
        for degree, rows in ((1024, 5), (2048, 2))
    ),
    akp(1, "32,768"),
    akp(4, "65,536"),
    akp(8, "65,536"),
)


def wheels(python: str, peer: str, *installs: tuple[str, ...]) -> None:
    """Puts wheels into a virtual environment of their own, by one command of pip after the other."""
    found = shutil.which(python) or sys.exit(
        f"wheels of {peer} need another Python, and there is no {python}: name one with --{peer}-python"
    )
    subprocess.run([found, "-m", "venv", BUILT / peer], check=True)
    for packages in installs:
        subprocess.run([BUILT / peer / "bin" / "python", "-m", "pip", "install", "--quiet", *packages], check=True)


def built(peer: str, *toolchain: str) -> None:
    """Builds the program of a peer in Rust for this processor."""
    environment = os.environ | {"RUSTFLAGS": "-C target-cpu=native"}
    places = ["--manifest-path", FOLDER / peer / "Cargo.toml", "--target-dir", BUILT / peer]
    subprocess.run(["cargo", *toolchain, "build", "--release", *places], check=True, env=environment)


def install(arguments: argparse.Namespace) -> None:
    """Puts the peers under target/comparisons, and builds our benchmarks."""
    for peer in arguments.peer or PEERS:
        if peer == "openfhe":
            wheels(arguments.openfhe_python, peer, (OPENFHE_WHEEL,))
        elif peer == "concrete":
            wheels(arguments.concrete_python, peer, ("--no-deps", CONCRETE_WHEEL), CONCRETE_NEEDS)
        else:
            built(peer, *(("+nightly",) if peer == "poulpy" else ()))
    ours_too = ["cargo", "build", "--release", "-p", "cryptable-cli", "--features", "bench"]
    subprocess.run(ours_too, check=True, cwd=ROOT)


def measured(subject: Subject, core: int) -> dict:
    """The last JSON line that a subject prints, or that of its operation, alone on its cores, from `core` on."""
    threads = str(subject.threads)
    environment = os.environ | {"OMP_NUM_THREADS": threads, "RAYON_NUM_THREADS": threads}
    cores = range(core, core + subject.threads)
    done = subprocess.run(
        subject.command,
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(subject.command)} ended with {done.returncode}:\n{done.stderr}")
    lines = [json.loads(line) for line in done.stdout.strip().splitlines()]
    if not subject.operation:
        return lines[-1]
    fastest = min(
        (line for line in lines if line.get("operation") == subject.operation), key=lambda line: line["seconds"]
    )
    return fastest | {"eval_s": fastest["seconds"], "values_checked": 0, "wrong": 0}


def run(arguments: argparse.Namespace) -> None:
    """Every subject of every job in turn, `rounds` times, so that a slow minute of the machine meets all of them."""
    chosen = [job for job in JOBS if not arguments.only or job.name in arguments.only]
    missing = {
        subject.command[0] for job in chosen for subject in job.subjects if not Path(subject.command[0]).exists()
    }
    if missing:
        sys.exit(f"not there: {', '.join(sorted(missing))}; `compare.py install` brings all of them")
    with open(arguments.output, "a", encoding="utf-8") as lines:
        for job in chosen:
            for turn in range(arguments.rounds):
                for subject in job.subjects:
                    line = measured(subject, arguments.core)
                    head = {
                        "job": job.name,
                        "subject": subject.title,
                        "round": turn,
                        "date": datetime.date.today().isoformat(),
                        "processor": processor(),
                    }
                    lines.write(json.dumps(head | line) + "\n")
                    lines.flush()
                    print(f"{job.name}, {subject.title}: {line['eval_s']:.4g} s", file=sys.stderr, flush=True)


def processor() -> str:
    """Name, family and model of the processor, as Linux tells them."""
    fields = {}
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines():
        name, _, value = line.partition(":")
        fields[name.strip()] = value.strip()
    return f"{fields.get('model name')}, family {fields.get('cpu family')}, model {fields.get('model')}"


def median(lines: Iterable[dict], field: str) -> float | None:
    values = [line[field] for line in lines if line.get(field)]
    return statistics.median(values) if values else None


def cell(value: float | None, shown: Callable[[float], str]) -> str:
    return "" if value is None else shown(value)


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def size(value: float) -> str:
    return f"{value / 1e9:.2f} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB"


def table(arguments: argparse.Namespace) -> None:
    """A row a subject: medians of all rounds, and seconds as a multiple of cryptable's first line of the job."""
    lines = [json.loads(line) for line in Path(arguments.lines).read_text(encoding="utf-8").splitlines()]
    print("| job | by | time | ratio | keys | memory | wrong |\n|---|---|---|---|---|---|---|")
    for job in JOBS:
        ours_seconds = None
        for subject in job.subjects:
            of_subject = [line for line in lines if (line["job"], line["subject"]) == (job.name, subject.title)]
            taken = median(of_subject, "eval_s")
            if taken is None:
                continue
            ours_seconds = ours_seconds or taken
            wrong = sum(line["wrong"] for line in of_subject)
            checked = sum(line["values_checked"] for line in of_subject)
            cells = (
                job.title,
                subject.title.replace("OpenFHE", of_subject[0].get("library", "")),
                seconds(taken),
                f"{taken / ours_seconds:.2f}",
                cell(median(of_subject, "eval_key_bytes"), size),
                cell(median(of_subject, "peak_rss_bytes"), size),
                f"{wrong} of {checked:,}",
            )
            print("| " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    installer = commands.add_parser("install", help="install peers under target/comparisons")
    installer.add_argument("--peer", action="append", choices=PEERS, help="these peers, all otherwise")
    installer.add_argument("--openfhe-python", default="python3.10", help="for OpenFHE's wheel, which is for 3.10")
    installer.add_argument("--concrete-python", default="python3.11", help="for Concrete's, up to 3.12")
    installer.set_defaults(action=install)
    runner = commands.add_parser("run", help="measure, and append JSON lines")
    runner.add_argument("--only", action="append", choices=[job.name for job in JOBS], help="these jobs, all otherwise")
    runner.add_argument("--rounds", type=int, default=3, help="turns of every subject [3]")
    runner.add_argument("--core", type=int, default=0, help="the core that all run on, or the first of several [0]")
    runner.add_argument("--output", required=True, help="file that lines are appended to")
    runner.set_defaults(action=run)
    shower = commands.add_parser("table", help="lines as a table in Markdown")
    shower.add_argument("lines")
    shower.set_defaults(action=table)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
