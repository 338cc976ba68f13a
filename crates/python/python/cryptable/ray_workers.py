"""Workers of a service on a Ray cluster; `cryptable serve --executor ray://HOST:10001` starts them with this module.

    python -m cryptable.ray_workers ray://HOST:10001 [--workers N] [--threads N] -- PROGRAM ARGUMENTS

- **A worker** is a process of the program inside a Ray actor. It takes jobs from the service's queue, like any worker
  that an operator starts; Ray chooses its node and reserves cores.
- **A worker that ends**, or whose actor or node does, is restarted. Leases in the service's database, not Ray, decide
  when its job passes to another worker.
- **The end of standard input**, or a signal, stops all workers; their jobs wait for the next workers.

Nodes need Ray and the program, at the same path or on their PATH, but not this package.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

#: Environment variables passed on to workers: settings that an operator keeps out of the list of processes.
VARIABLES = ("CRYPTABLE_DATABASE",)

#: Seconds that a worker has to end before it is killed.
PATIENCE = 15.0

#: Seconds before a worker that has ended is restarted.
PAUSE = 2.0


class Worker:
    """A process of the program, on a node of the cluster."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._lock = threading.Lock()

    def run(self, command: list[str], environment: dict[str, str]) -> int:
        """Runs the program until it ends, and returns its status."""
        name = os.path.basename(command[0])
        path = command[0] if os.access(command[0], os.X_OK) else shutil.which(name)
        if path is None:
            raise FileNotFoundError(f"{socket.gethostname()} has neither {command[0]} nor a {name} on its PATH")
        with self._lock:
            if self._is_stopped:
                return 0
            # When the actor ends for any reason, this pipe closes, and then the program ends.
            self._process = subprocess.Popen(
                [path, *command[1:]], stdin=subprocess.PIPE, env={**os.environ, **environment}
            )
        return self._process.wait()

    def stop(self, patience: float) -> None:
        """Tells the program to end, and waits for it."""
        with self._lock:
            self._is_stopped = True
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()


def share_out(cores: Sequence[int], workers: int | None, threads: int | None) -> tuple[int, int]:
    """Returns the number of workers and the threads of each, given the cores of every node.

    By default, every node runs one worker with all of its cores: few workers with many threads need less memory.
    """
    if threads is None:
        wanted = workers or len(cores)
        fits = (count for count in range(max(cores), 0, -1) if sum(node // count for node in cores) >= wanted)
        threads = next(fits, 1)
    return workers or max(1, sum(node // threads for node in cores)), threads


def _outcome(reference: Any) -> str:
    """Describes how a worker has ended."""
    import ray

    try:
        return f"with status {ray.get(reference)}"
    except ray.exceptions.RayError as error:
        return f"by {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def _say(text: str) -> None:
    print(f"ray: {text}", file=sys.stderr, flush=True)


def keep(command: list[str], workers: int, threads: int, ended: threading.Event) -> None:
    """Keeps that number of workers until `ended` is set, then stops them. Ray is connected."""
    import ray

    environment = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    actor = ray.remote(num_cpus=threads, max_concurrency=2)(Worker)
    running: dict[Any, Any] = {}
    while not ended.is_set():
        while len(running) < workers:
            worker = actor.remote()
            running[worker.run.remote(command, environment)] = worker
        done, _ = ray.wait(list(running), timeout=1.0)
        for reference in done:
            _say(f"a worker has ended {_outcome(reference)}; another one is started")
            ray.kill(running.pop(reference))
        if done:
            ended.wait(PAUSE)
    stops = [worker.stop.remote(PATIENCE) for worker in running.values()]
    ray.wait(stops, num_returns=len(stops), timeout=PATIENCE + PAUSE)
    for worker in running.values():
        ray.kill(worker)


def _wait_for_input(ended: threading.Event) -> None:
    # Uses the system call: Python's own reader would hold a lock that blocks the interpreter's exit.
    while os.read(0, 1):
        pass
    ended.set()


def main(words: Sequence[str] | None = None) -> int:
    """Keeps workers on a cluster until standard input ends or a signal comes."""
    parser = argparse.ArgumentParser(prog="python -m cryptable.ray_workers", description=__doc__.splitlines()[0])
    parser.add_argument("address", help="address of the cluster's client server: ray://HOST:10001")
    parser.add_argument("--workers", type=int, help="number of workers [default: enough to use all cores]")
    parser.add_argument("--threads", type=int, help="threads of each [default: all of a node's]")
    parser.add_argument("command", nargs="+", help="the program and its arguments, after --")
    arguments = parser.parse_args(words)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    threading.Thread(target=_wait_for_input, args=(ended,), daemon=True).start()
    try:
        import ray
    except ImportError:
        sys.exit("there is no Ray: pip install '.[ray]' in a copy of the repository")
    ray.init(arguments.address, log_to_driver=False)
    cores = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    cores = [count for count in cores if count > 0]
    if not cores:
        sys.exit(f"{arguments.address} has no node with a core")
    if len(cores) > 1 and "CRYPTABLE_DATABASE" not in os.environ:
        sys.exit(f"{arguments.address} has {len(cores)} nodes, but SQLite is one machine's: --database postgres://...")
    workers, threads = share_out(cores, arguments.workers, arguments.threads)
    _say(f"{workers} workers of {threads} threads at {arguments.address}")
    keep([*arguments.command, "--threads", str(threads)], workers, threads, ended)
    ray.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
