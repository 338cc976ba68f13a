"""Who takes the processors while something runs: from /proc, so on Linux."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: Seconds between looks: a look reads the state of all processes, some milliseconds.
PERIOD = 0.5

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class _Process:
    parent: int
    seconds: float


def _processes() -> dict[int, _Process]:
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # After the name in parentheses: state, parent, ..., user and system time.
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # gone
            continue
        found[int(entry.name)] = _Process(int(fields[1]), (int(fields[11]) + int(fields[12])) / _TICK)
    return found


def _is_worker(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"ray::MapWorker" in command or b"--bare" in command


def _machine() -> float:
    """Seconds that all processors have worked, or were taken away by the host of a virtual machine."""
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle, waiting = fields[3], fields[4]
    return (sum(fields) - idle - waiting) / _TICK


@dataclass(frozen=True)
class Look:
    """Seconds of processors so far: of each process that belongs to this one, with its group, and of the machine."""

    at: float
    processes: dict[int, tuple[str, float]]
    machine: float

    @classmethod
    def now(cls) -> Look:
        processes, machine = _processes(), _machine()
        descendants = {os.getpid()}
        # Parents may have larger identifiers than their children: until nothing is new.
        while new := {pid for pid, it in processes.items() if it.parent in descendants} - descendants:
            descendants |= new
        found = {}
        for pid in descendants & processes.keys():
            group = "driver" if pid == os.getpid() else "workers" if _is_worker(pid) else "ray"
            found[pid] = (group, processes[pid].seconds)
        return cls(time.perf_counter(), found, machine)

    def cores_since(self, before: Look) -> dict[str, float]:
        """Processors that each group kept busy; `others` are programs beside this one, and the host."""
        busy = dict.fromkeys(("driver", "workers", "ray"), 0.0)
        for pid, (group, seconds) in self.processes.items():
            busy[group] += seconds - before.processes.get(pid, (group, 0.0))[1]
        busy["others"] = self.machine - before.machine - sum(busy.values())
        return {name: seconds / (self.at - before.at) for name, seconds in busy.items()}


class Watch:
    """Looks at the processors from when `begun()` until `ended()`, beside what runs in its block."""

    def __init__(self, begun: Callable[[], bool], ended: Callable[[], bool]) -> None:
        self._begun, self._ended = begun, ended
        self._looks: list[Look] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._stop.wait(PERIOD):
            if not self._begun():
                continue
            look = Look.now()
            # One that was still at work when all of it was looked at.
            if self._ended():
                return
            self._looks = [*self._looks[:1], look]

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._thread.join()

    def cores(self) -> dict[str, float]:
        """Returns `Look.cores_since` of the first look and the last."""
        return {} if len(self._looks) < 2 else self._looks[1].cores_since(self._looks[0])
