"""HTML form of plans, for notebooks."""

from __future__ import annotations

from html import escape

from ._native.plans import Candidate

_COLUMNS = [
    "engine",
    "method",
    "keygen",
    "lookup",
    "memory",
    "key file",
    "ciphertext",
    "values per ciphertext",
    "failure per ciphertext",
    "security bits",
]


def plan(candidates: list[Candidate], refusals: list[tuple[str, str]], values: int, assumed: bool, threads: int) -> str:
    """Returns a table of candidates, the best in bold, and the refusals.

    `assumed` says that the caller did not set the number of values.
    """
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    rows = "".join(_row(candidate, bold=place == 0) for place, candidate in enumerate(candidates))
    count = f"{values:,} value{'' if values == 1 else 's'}{' (assumed)' if assumed else ''}"
    caption = f"{count} on {threads} thread{'' if threads == 1 else 's'}, the best first"
    table = f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return table + "".join(f"<p>{engine} unavailable: {escape(reason)}</p>" for engine, reason in refusals)


def _row(candidate: Candidate, bold: bool) -> str:
    cells = [
        candidate.engine,
        candidate.method,
        f"{candidate.key_seconds:.3g} s",
        f"{candidate.seconds:.3g} s",
        _bytes(candidate.memory_bytes),
        _bytes(candidate.key_file_bytes),
        _bytes(candidate.ciphertext_bytes),
        f"{candidate.values_per_ciphertext:,}",
        f"2^{candidate.log2_fail:.0f}",
        f"{candidate.security_bits:.0f}",
    ]
    tag = "th" if bold else "td"
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _bytes(count: int) -> str:
    for unit, size in [("GB", 10**9), ("MB", 10**6), ("kB", 10**3)]:
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
