"""Binary circuits on encrypted words: built in, or netlists that Yosys wrote, on thousands of words at once.

Bit i of all words lies in one ciphertext. A plan places gates, cleanings and bootstraps on the fastest parameter set,
before any ciphertext exists; it knows levels, noise, memory and the failure probability of the whole.

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

`Circuit.named("add32")` and its like are built in (`NAMES`); `Circuit.read("clamp.blif")` reads what Yosys wrote.
Words of more than 64 bits are arrays of Python's integers.
"""

from __future__ import annotations

from typing import Any

from ._native import circuits as _compiled

__all__ = ["NAMES", "Circuit", "EncryptedWords", "EvaluationKey", "Plan", "SecretKey", "plan"]

Circuit = _compiled.Circuit
EncryptedWords = _compiled.EncryptedWords
EvaluationKey = _compiled.EvaluationKey
Plan = _compiled.Plan
SecretKey = _compiled.SecretKey

#: The circuits that are built in.
NAMES: list[str] = Circuit.names()


def plan(circuit: Circuit, **request: Any) -> Plan:
    """Plans a circuit on all parameter sets, or on one; keys are made for the fastest, which it is.

    By name: how many `words`; `set`, the name of a parameter set; `parallel` steps; `memory` in bytes; `log2_fail` of
    the probability that any output of any word of a ciphertext is wrong (-64).
    """
    return _compiled.plan_circuit(circuit, **request)
