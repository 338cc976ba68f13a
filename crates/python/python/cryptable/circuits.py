"""Binary circuits on thousands of encrypted words at once: built-in circuits, or netlists written by Yosys.

One ciphertext holds bit i of all words. A plan chooses the fastest parameter set and places gates, cleanings and
bootstraps before any ciphertext exists; it predicts levels, noise, memory and the failure probability of the circuit.

    >>> from cryptable import circuits
    >>> half_adder = circuits.Circuit.from_blif('''
    ... .model half_adder
    ... .inputs a b
    ... .outputs s[0] s[1]
    ... .names a b s[0]
    ... 10 1
    ... 01 1
    ... .names a b s[1]
    ... 11 1
    ... .end
    ... ''')
    >>> plan = circuits.plan(half_adder, insecure_toy=True)          # without `insecure_toy` for use
    >>> secret = circuits.SecretKey.generate(plan)                   # the client
    >>> server = secret.evaluation_key(progress=False)               # what the server gets
    >>> words = secret.encrypt(plan, {"a": [0, 1, 1], "b": [0, 0, 1]})
    >>> result = server.run(plan, words, progress=False)             # or server.run(half_adder, words)
    >>> secret.decrypt(result)["s"].tolist()
    [0, 1, 2]

A holder of `secret.public_key()` can encrypt words, too:

    >>> words = secret.public_key().encrypt(plan, {"a": [1], "b": [0]})
    >>> secret.decrypt(server.run(plan, words, progress=False))["s"].tolist()
    [1]

Circuits can also be built in Python:

    >>> builder = circuits.CircuitBuilder("difference")
    >>> x, y = builder.input("x", 4), builder.input("y", 4)         # lists of signals, the lowest bit first
    >>> swapped = builder.less_than(x, y)
    >>> high = [builder.multiplexer(swapped, b, a) for a, b in zip(x, y)]
    >>> low = [a & ~swapped | b & swapped for a, b in zip(y, x)]    # the same by gates
    >>> builder.output("distance", builder.subtract(high, low))
    >>> builder.finish().evaluate(3, 11)
    [8]

`Circuit.named("add32")` returns a built-in circuit (`NAMES` lists all), and `Circuit.read("clamp.blif")` reads a
netlist that Yosys wrote. Words of more than 64 bits are arrays of Python integers.
"""

from __future__ import annotations

from ._native import circuits as _compiled

__all__ = [
    "NAMES",
    "Circuit",
    "CircuitBuilder",
    "EncryptedWords",
    "EvaluationKey",
    "Plan",
    "PublicKey",
    "SecretKey",
    "Signal",
    "plan",
]

Circuit = _compiled.Circuit
CircuitBuilder = _compiled.CircuitBuilder
EncryptedWords = _compiled.EncryptedWords
EvaluationKey = _compiled.EvaluationKey
Plan = _compiled.Plan
PublicKey = _compiled.PublicKey
SecretKey = _compiled.SecretKey
Signal = _compiled.Signal

#: Names of the built-in circuits.
NAMES: list[str] = Circuit.names()


def plan(
    circuit: Circuit,
    *,
    words: int | None = None,
    set: str | None = None,
    parallel: int = 1,
    memory: int | None = None,
    log2_fail: float | None = None,
    insecure_toy: bool = False,
) -> Plan:
    """Plans a circuit on all parameter sets, or on a given one, and returns the fastest plan, for `SecretKey.generate`.

    Keyword arguments: `words` is the number of words, `set` the name of a parameter set, `parallel` the number of
    parallel steps, `memory` is in bytes, and `log2_fail` (default: -64) bounds the probability that any output of any
    word of a ciphertext is wrong.
    """
    return _compiled.plan_circuit(
        circuit,
        words=words,
        set=set,
        parallel=parallel,
        memory=memory,
        log2_fail=log2_fail,
        insecure_toy=insecure_toy,
    )
