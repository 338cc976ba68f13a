#!/usr/bin/env python3
"""Runs cryptable and its peers one after the other on one core of one machine, and compares seconds.

Examples:
  python3 comparisons/compare.py install                      # OpenFHE's wheel, tfhe-rs: half an hour of compiling
  python3 comparisons/compare.py run --output lines.jsonl     # everything: 14 GB of memory, half an hour
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
OPENFHE_PYTHON = BUILT / "openfhe" / "bin" / "python"
TFHE_RS = BUILT / "tfhe-rs" / "release" / "tfhe-rs-peer"
CRYPTABLE = ROOT / "target" / "release" / "cryptable"
OPENFHE_WHEEL = "openfhe==1.6.1.0.22.4"


@dataclass(frozen=True)
class Subject:
    """One way to do a job: a program that prints a JSON line."""

    title: str
    command: tuple[str, ...]
    # Of programs that print a line an operation: the one that counts, on the fastest instruction set.
    operation: str = ""


@dataclass(frozen=True)
class Job:
    """Lists the subjects of the comparison: cryptable's ways first, then those of peers."""

    name: str
    title: str
    subjects: tuple[Subject, ...]


def ours(title: str, *arguments: str) -> Subject:
    return Subject("cryptable, " + title, (str(CRYPTABLE), "--threads", "1", "--json", "--quiet", "bench", *arguments))


def our_step(degree: int) -> Subject:
    """A step of blind rotation, decomposition included."""
    few = ("--ring-degree", "4096", "--limbs", "4", "--digits", "2")
    return replace(ours("own transforms, decomposition included", "primitives", *few), operation=f"step, N = {degree}")


def openfhe(title: str, script: str, *arguments: str) -> Subject:
    return Subject("OpenFHE, " + title, (str(OPENFHE_PYTHON), str(FOLDER / "openfhe" / script), *arguments))


def tfhe_rs(title: str, *arguments: str) -> Subject:
    return Subject("tfhe-rs, " + title, (str(TFHE_RS), *arguments))


def akp(bits: int, values: str) -> Job:
    runs = "1" if bits > 1 else "3"
    return Job(
        f"akp-{bits}",
        f"random table of {bits} bit{'s' * (bits > 1)} on {values} values",
        (
            ours("AKP", "akp", "--bits", str(bits), "--runs", runs),
            openfhe("AKP", "akp.py", "--bits", str(bits), "--runs", runs),
        ),
    )


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
            ours("any table, 2^-64", "fhew", "--p", "16", "--method", "FDFB-BFVMult, interleaved"),
            ours("any table, 2^-128", "fhew", "--p", "16", "--log2-fail", "-128", "--method", "FDFB-BFVMult*"),
            tfhe_rs("below a bit of padding, 2^-128", "table4", "--runs", "15"),
        ),
    ),
    Job(
        "table-8",
        "table of 8 bits on one value",
        (
            ours("CMUX tree", "cmux-tree", "--bits", "8"),
            tfhe_rs("WoP-PBS", "table8"),
            tfhe_rs("match_value", "match8"),
        ),
    ),
    Job(
        "table-16",
        "table of 16 bits on one value",
        (ours("CMUX tree", "cmux-tree", "--bits", "16"), tfhe_rs("WoP-PBS", "table16")),
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


def install(arguments: argparse.Namespace) -> None:
    """Puts the peers under target/comparisons, and builds our benchmarks."""
    python = shutil.which(arguments.python) or sys.exit(
        f"OpenFHE's wheel needs Python 3.10, and there is no {arguments.python}: name one with --python"
    )
    subprocess.run([python, "-m", "venv", BUILT / "openfhe"], check=True)
    subprocess.run([OPENFHE_PYTHON, "-m", "pip", "install", "--quiet", OPENFHE_WHEEL], check=True)
    environment = os.environ | {"RUSTFLAGS": "-C target-cpu=native"}
    peer = ["--manifest-path", FOLDER / "tfhe-rs" / "Cargo.toml", "--target-dir", BUILT / "tfhe-rs"]
    subprocess.run(["cargo", "build", "--release", *peer], check=True, env=environment)
    ours_too = ["cargo", "build", "--release", "-p", "cryptable-cli", "--features", "bench"]
    subprocess.run(ours_too, check=True, cwd=ROOT)


def measured(subject: Subject, core: int) -> dict:
    """The last JSON line that a subject prints, or that of its operation, alone on one core."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(
        subject.command,
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
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
    installer.add_argument("--python", default="python3.10", help="for OpenFHE's wheel, which is for 3.10")
    installer.set_defaults(action=install)
    runner = commands.add_parser("run", help="measure, and append JSON lines")
    runner.add_argument("--only", action="append", choices=[job.name for job in JOBS], help="these jobs, all otherwise")
    runner.add_argument("--rounds", type=int, default=3, help="turns of every subject [3]")
    runner.add_argument("--core", type=int, default=0, help="the core that all run on [0]")
    runner.add_argument("--output", required=True, help="file that lines are appended to")
    runner.set_defaults(action=run)
    shower = commands.add_parser("table", help="lines as a table in Markdown")
    shower.add_argument("lines")
    shower.set_defaults(action=table)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
