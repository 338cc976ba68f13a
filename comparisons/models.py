#!/usr/bin/env python3
"""Runs trained models on encrypted rows by cryptable and by Concrete ML, one after the other on one core.

Examples:
  make python-tests                                          # builds the Python library that is measured
  python3 comparisons/models.py install                      # Concrete ML of the package index: 6 GB, with torch
  python3 comparisons/models.py run --output models.jsonl    # everything: 8 GB of memory, an hour
  python3 comparisons/models.py run --only iris-tree --output models.jsonl
  python3 comparisons/models.py table models.jsonl           # Markdown

Both libraries train on the same rows of a data set that scikit-learn ships, with the same depth, number of trees and
bits of features, and evaluate rows that were not trained on. Each result is compared with the library's own quantised
model in the clear.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from compare import processor

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
CONCRETE_PYTHON = ROOT / "target" / "comparisons" / "concrete-ml" / "bin" / "python"
OUR_PYTHON = ROOT / "target" / "python" / "bin" / "python"
CONCRETE = "concrete-ml==1.9.0"


@dataclass(frozen=True)
class Job:
    """A model that both libraries train."""

    title: str
    data: str
    model: str
    arguments: dict[str, Any]
    bits: int = 6
    # Rows that Concrete ML evaluates, one after the other.
    rows: int = 3


JOBS = {
    "iris-tree": Job("decision tree of depth 4 on iris", "iris", "DecisionTreeClassifier", {"max_depth": 4}, rows=5),
    "cancer-forest-10": Job(
        "forest of 10 trees of depth 4 on breast cancer",
        "breast_cancer",
        "RandomForestClassifier",
        {"n_estimators": 10, "max_depth": 4},
    ),
    "cancer-forest-50": Job(
        "forest of 50 trees of depth 4 on breast cancer",
        "breast_cancer",
        "RandomForestClassifier",
        {"n_estimators": 50, "max_depth": 4},
        rows=2,
    ),
    "diabetes-forest-50": Job(
        "forest of 50 trees of depth 4 on the 10 columns of diabetes, in 8 bits",
        "diabetes",
        "RandomForestClassifier",
        {"n_estimators": 50, "max_depth": 4},
        bits=8,
        rows=2,
    ),
    "wine-logistic": Job(
        "logistic regression on wine", "wine", "LogisticRegression", {"max_iter": 1000}, bits=8, rows=20
    ),
    "digits-network": Job(
        "network of 32 hidden neurons on digits",
        "digits",
        "MLPClassifier",
        {"hidden_layer_sizes": (32,)},
        bits=3,
        rows=1,
    ),
}


def sets(job: Job) -> tuple[Any, Any, Any, Any]:
    """Rows to train on and others, with their labels."""
    import numpy as np
    from sklearn import datasets
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    data, labels = getattr(datasets, f"load_{job.data}")(return_X_y=True)
    if job.data == "diabetes":
        # A number, of which models tell whether it is above the median.
        labels = labels > np.median(labels)
    train, test, train_labels, test_labels = train_test_split(data, labels, random_state=0)
    if job.model in ("LogisticRegression", "MLPClassifier"):
        scaler = StandardScaler().fit(train) if job.data != "digits" else None
        train, test = (part / 16 if scaler is None else scaler.transform(part) for part in (train, test))
    return train, test, train_labels, test_labels


def cryptable(job: Job, rows: int) -> dict[str, Any]:
    """A full ciphertext of rows by our library, each checked."""
    import numpy as np
    from cryptable import SecretKey, ml
    from sklearn import ensemble, linear_model, neural_network, tree

    train, test, train_labels, test_labels = sets(job)
    modules = (ensemble, linear_model, neural_network, tree)
    (of_model,) = (getattr(module, job.model) for module in modules if hasattr(module, job.model))
    others = {"alpha": 1.0, "max_iter": 500} if job.model == "MLPClassifier" else {}
    model = of_model(random_state=0, **job.arguments, **others).fit(train, train_labels)
    source = model
    if job.model == "MLPClassifier":
        source = ml.quantise(model, train, input_bits=job.bits, activation_bits=job.bits)
    # Rows that are not trained on may lie beyond those that are.
    low, high = train.min(axis=0), train.max(axis=0)
    if job.model == "MLPClassifier":
        test = np.clip(test, low, high)
    program = ml.compile(source, train, train_labels, bins=1 << job.bits, values=rows or None, threads=1)
    encrypted = np.resize(test, (rows or program.plan.rows, test.shape[1]))
    begin = time.perf_counter()
    secret = SecretKey.generate(program.plan)
    server = secret.evaluation_key(progress=False)
    keygen = time.perf_counter() - begin
    frame = program.encrypt(secret, encrypted)
    cpu, begin = time.process_time(), time.perf_counter()
    results = program.run(server, frame, threads=1, progress=False)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    scores = program.decrypt(secret, results)
    wrong = int((scores != program.scores(encrypted)).reshape(len(encrypted), -1).any(axis=1).sum())
    return {
        "library": f"cryptable {_version('cryptable')}",
        "rows": len(encrypted),
        "eval_s": seconds,
        "cpu_s": cpu,
        "keygen_s": keygen,
        "key_bytes": program.plan.key_file_bytes,
        "predicted_s": program.plan.seconds,
        "accuracy_float": float((model.predict(test) == test_labels).mean()),
        "accuracy": float((program.predict(program.scores(test)) == test_labels).mean()),
        "log2_fail": program.plan.log2_fail,
        "wrong": wrong,
    }


def concrete_ml(job: Job, rows: int) -> dict[str, Any]:
    """Some rows by Concrete ML, one after the other, as it evaluates them."""
    import numpy as np
    from concrete.ml import sklearn

    train, test, train_labels, test_labels = sets(job)
    if job.model == "MLPClassifier":
        from torch import nn

        # A network of one hidden layer, trained with the quantisation that it has.
        arguments: dict[str, Any] = {
            "module__n_layers": 2,
            "module__n_w_bits": 3,
            "module__n_a_bits": job.bits,
            "module__n_hidden_neurons_multiplier": 0.5,
            "module__activation_function": nn.ReLU,
            "max_epochs": 60,
            "verbose": 0,
        }
        model = sklearn.NeuralNetClassifier(**arguments)
        train, test = train.astype(np.float32), test.astype(np.float32)
    else:
        others = {"random_state": 0} if job.model != "LogisticRegression" else {}
        model = getattr(sklearn, job.model)(n_bits=job.bits, **job.arguments, **others)
    model.fit(train, train_labels)
    circuit = model.compile(train)
    begin = time.perf_counter()
    circuit.keygen()
    keygen = time.perf_counter() - begin
    some = test[: rows or job.rows]
    cpu, begin = time.process_time(), time.perf_counter()
    found = model.predict(some, fhe="execute")
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    return {
        "library": f"Concrete ML {_version('concrete-ml')}",
        "rows": len(some),
        "eval_s": seconds,
        "cpu_s": cpu,
        "keygen_s": keygen,
        "key_bytes": circuit.size_of_bootstrap_keys + circuit.size_of_keyswitch_keys,
        "accuracy": float((model.predict(test) == test_labels).mean()),
        "log2_fail": None if circuit.p_error is None else float(np.log2(circuit.p_error)),
        "wrong": int((found != model.predict(some)).sum()),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except Exception:
        return "of this source"


LIBRARIES = {"cryptable": (OUR_PYTHON, cryptable), "concrete-ml": (CONCRETE_PYTHON, concrete_ml)}


def install(arguments: argparse.Namespace) -> None:
    """Puts Concrete ML into an environment of its own."""
    python = shutil.which(arguments.python) or sys.exit(
        f"Concrete ML has wheels for Python 3.9 to 3.12, and there is no {arguments.python}: name one with --python"
    )
    subprocess.run([python, "-m", "venv", CONCRETE_PYTHON.parents[1]], check=True)
    subprocess.run([CONCRETE_PYTHON, "-m", "pip", "install", "--quiet", CONCRETE], check=True)


def measure(arguments: argparse.Namespace) -> None:
    """One library's line of one job; runs in the library's own environment."""
    line = LIBRARIES[arguments.library][1](JOBS[arguments.job], arguments.rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(line | {"peak_rss_bytes": peak, "python": sys.version.split()[0]}))


def run(arguments: argparse.Namespace) -> None:
    """Every job by both libraries in turn."""
    chosen = [name for name in JOBS if not arguments.only or name in arguments.only]
    libraries = [name for name in LIBRARIES if not arguments.library or name in arguments.library]
    missing = [str(LIBRARIES[name][0]) for name in libraries if not LIBRARIES[name][0].exists()]
    if missing:
        sys.exit(f"not there: {', '.join(missing)}; `make python-tests` and `models.py install` bring them")
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT / "crates" / "python" / "python"),
    }
    for job in chosen:
        for turn in range(arguments.rounds):
            for library in libraries:
                command = [LIBRARIES[library][0], __file__, "measure", "--job", job, "--library", library]
                if arguments.rows:
                    command += ["--rows", str(arguments.rows)]
                before = os.getloadavg()[0]
                done = subprocess.run(
                    command,
                    check=False,
                    capture_output=True,
                    text=True,
                    env=environment,
                    preexec_fn=lambda: os.sched_setaffinity(0, {arguments.core}),
                )
                if done.returncode != 0:
                    sys.exit(f"{job} by {library} ended with {done.returncode}:\n{done.stderr}")
                head = {
                    "job": job,
                    "round": turn,
                    "date": datetime.date.today().isoformat(),
                    "processor": processor(),
                    "load_before": round(before, 1),
                    "load_after": round(os.getloadavg()[0], 1),
                }
                line = head | json.loads(done.stdout.strip().splitlines()[-1])
                with open(arguments.output, "a", encoding="utf-8") as lines:
                    lines.write(json.dumps(line) + "\n")
                each = line["eval_s"] / line["rows"]
                print(f"{job} by {library}: {line['eval_s']:.4g} s, {each:.4g} s per row", file=sys.stderr, flush=True)


def table(arguments: argparse.Namespace) -> None:
    """Prints Markdown: medians of rounds, of processor time where there was other load."""
    lines = [json.loads(line) for path in arguments.lines for line in path.read_text(encoding="utf-8").splitlines()]
    print("| model | by | rows at once | time | rows per second | accuracy | keys | wrong rows |")
    print("|---|---|---|---|---|---|---|---|")
    for job in JOBS:
        for library in dict.fromkeys(line["library"] for line in lines):
            found = [line for line in lines if line["job"] == job and line["library"] == library]
            if found:
                print(row(JOBS[job].title, library, found))


def row(title: str, library: str, lines: list[dict[str, Any]]) -> str:
    """A row of the table."""
    is_loaded = max(max(line["load_before"], line["load_after"]) for line in lines) > 1.5
    seconds = statistics.median(line["cpu_s" if is_loaded else "eval_s"] for line in lines)
    rows, wrong = lines[0]["rows"], sum(line["wrong"] for line in lines)
    at_once = rows if library.startswith("cryptable") else 1
    how = " of processor time" if is_loaded else ""
    cells = (
        title,
        library,
        f"{at_once:,}",
        f"{seconds * at_once / rows:.3g} s{how}",
        number(rows / seconds),
        f"{100 * lines[0]['accuracy']:.1f} %",
        size(lines[0]["key_bytes"]),
        f"{wrong} of {rows * len(lines):,}",
    )
    return "| " + " | ".join(cells) + " |"


def number(value: float) -> str:
    """Three digits, as people read them."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"


def size(count: float) -> str:
    """Bytes as people read them."""
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def arguments(given: Iterable[str] | None = None) -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("install")
    one.add_argument("--python", default="python3.11")
    one.set_defaults(command=install)
    one = commands.add_parser("measure")
    one.add_argument("--job", choices=JOBS, required=True)
    one.add_argument("--library", choices=LIBRARIES, required=True)
    one.add_argument("--rows", type=int, default=0)
    one.set_defaults(command=measure)
    one = commands.add_parser("run")
    one.add_argument("--only", action="append", choices=JOBS)
    one.add_argument("--library", action="append", choices=LIBRARIES)
    one.add_argument("--rounds", type=int, default=1)
    one.add_argument("--rows", type=int, default=0, help="rows of each library; a full ciphertext of ours otherwise")
    one.add_argument("--core", type=int, default=0)
    one.add_argument("--output", type=Path, required=True)
    one.set_defaults(command=run)
    one = commands.add_parser("table")
    one.add_argument("lines", type=Path, nargs="+")
    one.set_defaults(command=table)
    return parser.parse_args(given)


if __name__ == "__main__":
    chosen = arguments()
    chosen.command(chosen)
