"""Thousands of encrypted bits in one ciphertext: gates, tables and bootstraps, one operation at a time.

This module runs by hand the operations that `cryptable.circuits` plans and places automatically, with the same keys.
Bits have levels: a gate consumes one, and a bootstrap restores all of them, either alone (BinBoot, which squares
errors) or combined with a gate (GateBoot).

    >>> from cryptable import bits
    >>> parameters = bits.Parameters.named("insecure-toy")       # for use: "balanced", and its like in `names()`
    >>> secret = bits.SecretKey.generate(parameters)             # the client
    >>> server = secret.evaluation_key(progress=False)           # what the server gets
    >>> x = bits.encrypt(secret, [False, False, True, True])
    >>> y = bits.encrypt(secret, [False, True, False, True])
    >>> either = bits.gate(server, "or", x, y)                   # a level less
    >>> x.levels - either.levels
    1
    >>> different = bits.gate_boot(server, "xor", either, y)     # all levels back
    >>> bits.decrypt(secret, different).tolist(), different.levels == x.levels
    ([False, False, True, False], True)
    >>> total, carry = bits.gate_boot_many(server, [[0, 1, 0, 1], [0, 0, 1, 1]], x, y, y)    # a full adder
    >>> bits.decrypt(secret, total).tolist(), bits.decrypt(secret, carry).tolist()
    ([False, False, True, True], [False, True, False, True])

Gates increase the errors of bits, and every operation tracks them: an operation whose result would be wrong more often
than the parameters state is refused (`NoiseError`). `Parameters.literal` returns all numbers of a parameter set, and
`Parameters.from_literal` makes a set from such numbers.
"""

from __future__ import annotations

from ._native import bits as _compiled
from ._native import circuits as _circuits

EncryptedBits = _compiled.EncryptedBits
EvaluationKey = _circuits.EvaluationKey
Parameters = _compiled.Parameters
SecretKey = _circuits.SecretKey

bin_boot = _compiled.bin_boot
clean = _compiled.clean
decrypt = _compiled.decrypt
disjoint_or = _compiled.disjoint_or
encrypt = _compiled.encrypt
gate = _compiled.gate
gate_boot = _compiled.gate_boot
gate_boot_many = _compiled.gate_boot_many
gates = _compiled.gates
logical_not = _compiled.logical_not
lower = _compiled.lower
tables = _compiled.tables

__all__ = [
    "EncryptedBits",
    "EvaluationKey",
    "Parameters",
    "SecretKey",
    "bin_boot",
    "clean",
    "decrypt",
    "disjoint_or",
    "encrypt",
    "gate",
    "gate_boot",
    "gate_boot_many",
    "gates",
    "logical_not",
    "lower",
    "tables",
]
