"""Lookups on many machines with Ray Data; install with `pip install '.[ray]'` in a copy of the repository.

    import cryptable.ray
    results = cryptable.ray.lookup(files, "server.key", table, output="results")

The same script runs on one machine and on a cluster: it joins the cluster that `RAY_ADDRESS` names, or starts Ray on
this machine.

- **The evaluation key** is mapped into memory from one file per node, whose pages all workers of the node share. Nodes
  that cannot see the caller's file get it once through Ray's object store, and keep it in a file of their own.
- **Batches** (each a file, or a row of a dataset) stream through a pool of workers, and only a few per worker are in
  flight at any time.
- **A worker that dies** is restarted and repeats its batch; the results of others are kept. Each result is used once.
- **Results** come in the order of the inputs.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ._native import EvaluationKey
from ._native.ciphertexts import Ciphertext
from ._native.tables import Table
from .errors import MismatchError, RangeError
from .progress import Progress, reporting
from .tables import Signs, TableLike
from .tables import table as make_table

#: Ciphertext files, ciphertexts, or a Ray dataset with a column `ciphertext` of their bytes.
Source: TypeAlias = "Sequence[str | os.PathLike[str]] | Sequence[Ciphertext] | Any"

#: Size in bytes of the checksum at the end of files, which names keys on nodes.
_CHECKSUM_BYTES = 32

#: Name of the file that marks a folder of results.
_MARKER = ".cryptable-lookup"

#: Largest number of tasks that a run is split into.
_MOST_TASKS = 10_000


def lookup(
    source: Source,
    key: EvaluationKey | str | os.PathLike[str],
    table: TableLike,
    *,
    output: str | os.PathLike[str] | None = None,
    signed: Signs = False,
    workers: int | None = None,
    threads: int = 1,
    share: str | None = None,
    progress: Progress = True,
    allow_insecure: bool = False,
) -> Any:
    """Maps every value of all inputs through a table, on all machines of a cluster.

    `source` is one of the following:

    - A list of ciphertext files: the results go to files of the same names in the folder `output`, and the call returns
      their paths in the order of the inputs. An interrupted run resumes: results of the same key and table that exist
      and are not older than their inputs are kept.
    - A list of `Ciphertext`: returns the list of results, in the order of the inputs.
    - A Ray dataset with a column `ciphertext` of bytes: returns such a dataset, evaluated when it is read.

    `key` is the file of an evaluation key, or a key opened from one. There are `workers` workers of `threads` threads
    each; by default, enough workers to use all cores of the cluster. Few workers with many threads need less memory:
    every worker holds its own copy of a key of single values, which its threads share. `share` says how the key reaches
    the nodes: `"file"` by its path (the default on one node), or `"store"` through Ray's object store (the default on
    several nodes).
    """
    if threads < 1:
        raise RangeError(f"threads is {threads}, but must be at least 1: workers share the cluster's cores")
    import ray
    import ray.data

    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    path = _path_of(key)
    server = EvaluationKey.open(path, allow_insecure=allow_insecure) if not isinstance(key, EvaluationKey) else key
    moduli: dict[str, Any] = {"inputs": server.input_modulus, "output_modulus": server.output_modulus}
    made = make_table(table, signed=signed, **moduli)
    job = _Job(
        _share(path, share, allow_insecure),
        made,
        threads,
        None if output is None else os.fspath(Path(output).resolve()),
    )
    del server
    size = workers or max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
    if isinstance(source, ray.data.Dataset):
        return _mapped(source, job, size)
    inputs = list(source)
    if not inputs:
        return []
    if isinstance(inputs[0], Ciphertext):
        rows = [{"index": index, "ciphertext": it.to_bytes()} for index, it in enumerate(inputs)]
    else:
        rows = [{"index": index, "path": os.fspath(Path(it).resolve())} for index, it in enumerate(inputs)]
        if output is None:
            raise TypeError("files need output=..., a folder for the results")
        if len({Path(row["path"]).name for row in rows}) < len(rows):
            raise ValueError("two files have the same name: their results would have one, too")
        _begin(Path(output), [Path(row["path"]).name for row in rows], job)
    dataset = ray.data.from_items(rows, override_num_blocks=min(len(rows), _MOST_TASKS))
    found = _collect(_mapped(dataset, job, size), len(rows), progress)
    if isinstance(inputs[0], Ciphertext):
        shapes = [it.shape for it in inputs]
        return [
            Ciphertext.from_bytes(row["ciphertext"]).reshape(shape) for row, shape in zip(found, shapes, strict=True)
        ]
    return [Path(row["path"]) for row in found]


def _begin(output: Path, names: list[str], job: _Job) -> None:
    """Marks the folder with the key and the table, so that results of others are neither reused nor overwritten."""
    output.mkdir(parents=True, exist_ok=True)
    marker, mark = output / _MARKER, f"{job.key.name} {_digest(job.table)}\n"
    if marker.exists():
        if marker.read_text(encoding="utf-8") != mark:
            raise MismatchError(f"{output} holds results of another table or key")
        return
    stranger = next((name for name in names if (output / name).exists()), None)
    if stranger is not None:
        raise FileExistsError(f"{output / stranger}: exists, and was not made by a lookup of this kind")
    marker.write_text(mark, encoding="utf-8")


def _digest(table: Table) -> str:
    outputs, signs = table.outputs.astype("<i8"), bytes([table.signed_inputs, table.signed_outputs])
    return hashlib.sha256(outputs.tobytes() + table.output_modulus.to_bytes(8, "little") + signs).hexdigest()


def _mapped(dataset: Any, job: _Job, size: int) -> Any:
    """Returns the dataset of results: a streaming map over a pool of actors, which Ray restarts when they die."""
    import ray.data

    dataset.context.execution_options.preserve_order = True
    dataset.context.enable_progress_bars = False
    pool = ray.data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=2)
    return dataset.map(_Worker, fn_constructor_args=(job,), compute=pool, num_cpus=job.threads)


def _collect(results: Any, count: int, progress: Progress) -> list[dict[str, Any]]:
    """Collects all rows, each once and in order."""
    found: list[dict[str, Any]] = []
    with reporting(progress, "lookups") as tell:
        for row in results.iter_rows():
            if row["index"] != len(found):
                raise MismatchError(f"the result of input {row['index']} came in place of {len(found)}")
            found.append(row)
            if tell is not None:
                tell(len(found), count)
    if len(found) != count:
        raise MismatchError(f"there are {len(found)} results of {count} inputs")
    return found


@dataclass(frozen=True)
class _Key:
    """Location of the evaluation key for workers: its file, or an object of the store that they write to a file."""

    path: str
    name: str
    stored: Any
    allow_insecure: bool

    def open(self) -> EvaluationKey:
        path = self.path if self.stored is None else self._of_store()
        return EvaluationKey.open(path, allow_insecure=self.allow_insecure)

    def _of_store(self) -> str:
        """Returns the path of the node's own file, which its first worker writes."""
        import ray

        folder = _own_folder()
        path = folder / self.name
        with open(folder / f"{self.name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                # A worker that was killed may have left this file.
                part = path.with_suffix(".part")
                # The array lies in the store's shared memory and is not copied.
                ray.get(self.stored).tofile(part)
                os.replace(part, path)
        return os.fspath(path)


@dataclass(frozen=True)
class _Job:
    """The task of every worker: key, table, number of threads, and folder of results."""

    key: _Key
    table: Table
    threads: int
    output: str | None


class _Worker:
    """A worker process, which holds the mapped key and a prepared table."""

    def __init__(self, job: _Job) -> None:
        self.job = job
        self.server = job.key.open()
        self.table = self.server.prepare(job.table)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        if "path" not in row:
            result = self._lookup(Ciphertext.from_bytes(row["ciphertext"]))
            return row | {"ciphertext": result.to_bytes()}
        assert self.job.output is not None
        path = Path(self.job.output) / Path(row["path"]).name
        # Files appear only when they are complete, so an existing one need not be made again.
        if not path.exists() or path.stat().st_mtime_ns < os.stat(row["path"]).st_mtime_ns:
            self._lookup(Ciphertext.load(row["path"])).save(path, replace=True)
        return {"index": row["index"], "path": os.fspath(path)}

    def _lookup(self, values: Ciphertext) -> Ciphertext:
        return self.server.lookup(values, self.table, threads=self.job.threads, progress=False)


def _path_of(key: EvaluationKey | str | os.PathLike[str]) -> str:
    if isinstance(key, EvaluationKey):
        # For a key in memory, this raises the error that says so.
        return os.fspath(key.__reduce__()[1][1])
    return os.fspath(Path(key).resolve())


def _share(path: str, share: str | None, allow_insecure: bool) -> _Key:
    """Makes the key available to all nodes."""
    import ray

    if share not in (None, "file", "store"):
        raise ValueError(f"share is {share!r}, but must be 'file' or 'store'")
    nodes = sum(node["Alive"] for node in ray.nodes())
    data = np.memmap(path, dtype=np.uint8, mode="r")
    name = bytes(data[-_CHECKSUM_BYTES:]).hex() + ".key"
    stored = ray.put(np.asarray(data)) if share == "store" or (share is None and nodes > 1) else None
    return _Key(path, name, stored, allow_insecure)


def _folder() -> Path:
    return Path(tempfile.gettempdir()) / f"cryptable-keys-{os.getuid()}"


def _own_folder() -> Path:
    """Returns the folder of this machine's own key files, which belongs to this user and is closed to others."""
    folder = _folder()
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    # Somebody else may have created it earlier, as a link to a folder of this user.
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(
            f"{folder} must be a folder of this user that nobody else can enter (mode 0700): remove it"
        )
    return folder


def forget_keys() -> None:
    """Removes this machine's own evaluation key files."""
    shutil.rmtree(_folder(), ignore_errors=True)
