"""Approximate arithmetic on encrypted vectors of real and complex numbers: CKKS.

A vector holds thousands of numbers, one per slot, and every operation works on all of them. Each vector states the
error of its slots (`Vector.error`), and decryption rounds to that precision. A product consumes a level; a bootstrap or
a lookup restores levels.

    >>> from cryptable import ckks
    >>> parameters = ckks.Parameters.named("insecure_toy")      # for use: "leveled_128", "bootstrapping_128", ...
    >>> secret = ckks.SecretKey.generate(parameters)
    >>> server = ckks.evaluation_key(secret, rotations=[1], progress=False)
    >>> x = secret.encrypt([0.5, -0.25, 1.0])
    >>> with ckks.computing(server):                            # operators need to know the server's key
    ...     y = x * x + 0.125 * x - 1
    >>> secret.decrypt(y).round(4).tolist()
    [-0.6875, -0.9688, 0.125]
    >>> cube = ckks.Polynomial.monomial([0, 0, 0, 1])
    >>> secret.decrypt(server.polynomial(server.rotate(x, 1), cube))[:2].round(4).tolist()
    [-0.0156, 1.0]

`ckks.plan_lookups` finds parameters for functions that a bootstrap evaluates on every slot: tables, which may be
discontinuous (`SlotTable`), and smooth functions such as GELU (`SmoothFunction`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from typing import Any

from ._native import ckks as _compiled
from .errors import UnsupportedError
from .progress import Progress

__all__ = [
    "EvaluationKey",
    "LeveledTable",
    "LinearMap",
    "LookupCandidate",
    "LookupPlan",
    "Parameters",
    "Polynomial",
    "PreparedMap",
    "PublicKey",
    "SecretKey",
    "SharedSecret",
    "SlotTable",
    "SmoothFunction",
    "Vector",
    "computing",
    "evaluation_key",
    "plan_lookups",
    "save_evaluation_key",
]

EvaluationKey = _compiled.EvaluationKey
LeveledTable = _compiled.LeveledTable
LinearMap = _compiled.LinearMap
LookupCandidate = _compiled.LookupCandidate
LookupPlan = _compiled.LookupPlan
Parameters = _compiled.Parameters
Polynomial = _compiled.Polynomial
PreparedMap = _compiled.PreparedMap
PublicKey = _compiled.PublicKey
SecretKey = _compiled.SecretKey
SharedSecret = _compiled.SharedSecret
SlotTable = _compiled.SlotTable
SmoothFunction = _compiled.SmoothFunction
Vector = _compiled.Vector


def plan_lookups(
    points: int | SmoothFunction,
    *,
    first: float = 0.0,
    step: float = 1.0,
    order: int | None = None,
    precision_bits: float | None = None,
    complex: bool = False,
    values: int | None = None,
    levels: int = 0,
    log2_fail: float | None = None,
    memory: int | None = None,
    ring_degree: int | None = None,
) -> LookupPlan:
    """Finds parameters for tables of `points` points, or for a smooth function instead, the fastest first.

    Keyword arguments: `first` and `step` say where the points lie, `order` is that of the interpolation,
    `precision_bits` the precision of results, `complex` allows complex slots, `values` is the number of values that a
    vector must hold, `levels` the number of levels left in results, and `memory` is in bytes; `log2_fail` and
    `ring_degree` are as in `cryptable.plan`.
    """
    return _compiled.plan_lookups(
        points,
        first=first,
        step=step,
        order=order,
        precision_bits=precision_bits,
        complex=complex,
        values=values,
        levels=levels,
        log2_fail=log2_fail,
        memory=memory,
        ring_degree=ring_degree,
    )


def evaluation_key(
    secret: SecretKey,
    *,
    rotations: Iterable[int] = (),
    powers_of_two: bool = False,
    conjugation: bool = False,
    bootstrapping: bool = False,
    lookups: bool = False,
    maps: Sequence[LinearMap] = (),
    automatic: bool = False,
    threads: int = 0,
    progress: Progress = True,
) -> EvaluationKey:
    """Makes the server's key, in memory: always for sums and products, and for the operations named in the arguments.

    `rotations` are numbers of steps to the left, with one key each. `powers_of_two` adds keys for all powers of two,
    which allow any rotation and inner sums. With `automatic`, operations bootstrap whenever they need more levels than
    a vector has.
    """
    keys = _keys(rotations, powers_of_two, conjugation, bootstrapping, lookups)
    return secret.evaluation_key(keys, list(maps), automatic, threads, progress)


def save_evaluation_key(
    secret: SecretKey,
    path: str | PathLike[str],
    *,
    rotations: Iterable[int] = (),
    powers_of_two: bool = False,
    conjugation: bool = False,
    bootstrapping: bool = False,
    lookups: bool = False,
    maps: Sequence[LinearMap] = (),
    threads: int = 0,
    progress: Progress = True,
    replace: bool = False,
) -> None:
    """Writes the evaluation key to a file without ever holding all of it in memory; `EvaluationKey.open` maps it."""
    keys = _keys(rotations, powers_of_two, conjugation, bootstrapping, lookups)
    secret.save_evaluation_key(path, keys, list(maps), threads, progress, replace)


def _keys(
    rotations: Iterable[int], powers_of_two: bool, conjugation: bool, bootstrapping: bool, lookups: bool
) -> dict[str, Any]:
    return {
        "rotations": list(rotations),
        "powers_of_two": powers_of_two,
        "conjugation": conjugation,
        "bootstrapping": bootstrapping,
        "lookups": lookups,
    }


_key: ContextVar[tuple[EvaluationKey, int] | None] = ContextVar("cryptable.ckks", default=None)


@contextmanager
def computing(server: EvaluationKey, *, threads: int = 0) -> Iterator[None]:
    """Makes operators on vectors (`x + y`, `2 * x`, `x * array - 0.5`) use this key within the `with` block."""
    token = _key.set((server, threads))
    try:
        yield
    finally:
        _key.reset(token)


def _operator(name: str, operands: tuple[Any, ...]) -> Vector:
    """Evaluates an operator on vectors."""
    current = _key.get()
    if current is None:
        raise UnsupportedError(
            "operators on vectors need `with cryptable.ckks.computing(server):`, or see `server.add`"
        )
    server, threads = current
    if name == "rsub":
        x, y = operands
        return server.add(server.negate(x, threads=threads), y, threads=threads)
    result: Vector = getattr(server, name)(*operands, threads=threads)
    return result
