"""Thousands of encrypted bits in one ciphertext: gates, tables and bootstraps, one operation at a time.

What `cryptable.circuits` plans and places itself, by hand, with the same keys. Bits have levels: a gate takes one, and
a bootstrap gives all of them back, by itself (BinBoot, which squares errors) or with a gate on its way (GateBoot).

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

Errors of bits grow by gates, and every operation knows how far they are: one whose result would be wrong more often
than the parameters state is refused (`NoiseError`). Parameter sets are made of literals, too: `Parameters.literal`.
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
