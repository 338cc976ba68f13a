"""Bits in slots: gates, tables and bootstraps, against numpy."""

import itertools
import json
import pickle

import numpy as np
import pytest
from cryptable import bits, circuits
from cryptable.errors import FormatError, MismatchError, RangeError, TrustError

QUIET = {"progress": False}

GATES = {
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "nand": lambda x, y: ~(x & y),
    "nor": lambda x, y: ~(x | y),
    "xnor": lambda x, y: x == y,
    "andnot": lambda x, y: x & ~y,
    "ornot": lambda x, y: x | ~y,
    "notand": lambda x, y: ~x & y,
    "notor": lambda x, y: ~x | y,
}


@pytest.fixture(scope="module")
def keys():
    secret = bits.SecretKey.generate(bits.Parameters.named("insecure-toy"))
    return secret, secret.evaluation_key(**QUIET)


@pytest.fixture(scope="module")
def two():
    random = np.random.default_rng(11)
    return random.integers(0, 2, (2, 3, 50)).astype(bool)


def test_gates_and_bootstraps(keys, two):
    secret, server = keys
    a, b = two
    x, y = bits.encrypt(secret, a), bits.encrypt(secret, b)
    assert x.shape == (3, 50) and x.size == 150 and x.levels == secret.parameters.levels and x.key_id == secret.id
    for name, gate in GATES.items():
        leveled = bits.gate(server, name, x, y)
        np.testing.assert_array_equal(bits.decrypt(secret, leveled), gate(a, b), name)
        assert leveled.levels == x.levels - 1 and leveled.noise > x.noise
        booted = bits.gate_boot(server, name, x, leveled)
        np.testing.assert_array_equal(bits.decrypt(secret, booted), gate(a, gate(a, b)), name)
        assert booted.levels == x.levels
    cleaned = bits.gate_boot(server, "nand", x, y, cleaning=True, threads=1)
    np.testing.assert_array_equal(bits.decrypt(secret, cleaned), ~(a & b))
    both = bits.gates(server, ["xor", "AND"], x, y)
    for found, expected in zip(both, [a ^ b, a & b], strict=True):
        np.testing.assert_array_equal(bits.decrypt(secret, found), expected)
    np.testing.assert_array_equal(bits.decrypt(secret, bits.logical_not(server, x)), ~a)
    np.testing.assert_array_equal(bits.decrypt(secret, bits.bin_boot(server, bits.gate(server, "or", x, y))), a | b)
    np.testing.assert_array_equal(bits.decrypt(secret, bits.bin_boot(server, x, y, x, x)), a ^ b ^ a ^ a)
    either = bits.disjoint_or(server, both[1], bits.gate(server, "andnot", x, y))
    np.testing.assert_array_equal(bits.decrypt(secret, either), a)
    assert bits.lower(server, x, 1).levels == 1
    np.testing.assert_array_equal(bits.decrypt(secret, bits.clean(server, x)), a)


def test_functions_of_sums_and_tables(keys, two):
    secret, server = keys
    a, b = two
    x, y, z = bits.encrypt(secret, a), bits.encrypt(secret, b), bits.encrypt(secret, a ^ True)
    total, carry = bits.gate_boot_many(server, [[0, 1, 0, 1], np.array([0, 0, 1, 1])], x, y, z)
    np.testing.assert_array_equal(bits.decrypt(secret, total), a ^ b ^ ~a)
    np.testing.assert_array_equal(bits.decrypt(secret, carry), b | (a & ~a))
    multiplexer = [index >> (1 if index & 1 else 2) & 1 for index in range(8)]
    [found] = bits.tables(server, [multiplexer], x, y, z)
    np.testing.assert_array_equal(bits.decrypt(secret, found), np.where(a, b, ~a))
    assert found.levels == x.levels - 2


def test_files_and_pickles(keys, two, tmp_path):
    secret, server = keys
    x = bits.encrypt(secret, two[0], levels=1)
    assert x.levels == 1 and x.log2_fail_per_bit < -100 and x.parameters == secret.parameters == server.parameters
    x.save(tmp_path / "x.ct")
    loaded = bits.EncryptedBits.load(tmp_path / "x.ct", server.parameters).reshape(3, 50)
    for again in (loaded, pickle.loads(pickle.dumps(x))):
        np.testing.assert_array_equal(bits.decrypt(secret, again), two[0])
    other = bits.Parameters.named("insecure-toy-complex")
    with pytest.raises(MismatchError):
        bits.EncryptedBits.from_bytes(x.to_bytes(), other)
    secret.save_evaluation_key(tmp_path / "server.key", **QUIET)
    opened = bits.EvaluationKey.open(tmp_path / "server.key", allow_insecure=True)
    np.testing.assert_array_equal(bits.decrypt(secret, bits.gate(opened, "nor", x, x)), ~two[0])


def test_what_is_refused(keys):
    secret, server = keys
    x = bits.encrypt(secret, [True])
    with pytest.raises(ValueError, match='gate is "maybe", but must be one of and'):
        bits.gate(server, "maybe", x, x)
    with pytest.raises(RangeError, match=str(secret.parameters.bits_at_once)):
        bits.encrypt(secret, np.zeros(secret.parameters.bits_at_once + 1, dtype=bool))
    with pytest.raises(RangeError, match="levels"):
        bits.gate(server, "and", bits.lower(server, x, 0), x)
    with pytest.raises(RangeError, match="inputs of a gate"):
        bits.gate_boot_many(server, [[1] * 9], x)
    with pytest.raises(MismatchError):
        bits.gate(server, "and", x, bits.encrypt(secret, [True, False]))
    with pytest.raises(TypeError, match="have no truth value"):
        bool(x)
    other = bits.SecretKey.generate(secret.parameters)
    with pytest.raises(MismatchError):
        bits.decrypt(other, x)


def test_parameters():
    toy = bits.Parameters.named("insecure-toy")
    literal = json.loads(json.dumps(toy.literal))
    assert literal["ring_degree"] == toy.ring_degree and toy.security_bits == 0
    again = bits.Parameters.from_literal(literal, allow_insecure=True)
    assert again == toy and hash(again) == hash(toy) and pickle.loads(pickle.dumps(toy)).digest == toy.digest
    with pytest.raises(TrustError):
        bits.Parameters.from_literal(literal)
    with pytest.raises(FormatError, match="ring_size"):
        bits.Parameters.from_literal(literal | {"ring_size": 3}, allow_insecure=True)
    with pytest.raises(RangeError, match="ring degree"):
        bits.Parameters.from_literal(literal | {"ring_degree": 3}, allow_insecure=True)
    with pytest.raises(ValueError, match="balanced"):
        bits.Parameters.named("huge")
    for (name, description), previous in itertools.pairwise(bits.Parameters.names()):
        assert name and description and previous
    for_use = bits.Parameters.named("latency")
    assert for_use.security_bits >= 128 and for_use.bits_at_once == 8192 and len(for_use.secrets) == 2
    assert for_use.gate_boot_precision[1] <= for_use.log2_fail_per_bit <= -64 and "latency" in repr(for_use)
    assert for_use.bin_boot_precision[0] < 1e-3 and for_use.key_memory_bytes > 10**7


def test_keys_of_plans_are_those_of_bits():
    builder = circuits.CircuitBuilder("negated")
    [signal] = builder.input("x", 1)
    builder.output("y", [~signal])
    plan = circuits.plan(builder.finish(), insecure_toy=True, log2_fail=-30)
    secret = circuits.SecretKey.generate(plan)
    assert plan.parameters == secret.parameters
    np.testing.assert_array_equal(bits.decrypt(secret, bits.encrypt(secret, [1, 0])), [True, False])
