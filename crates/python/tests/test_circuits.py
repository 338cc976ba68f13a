"""Circuits on encrypted words, against numpy."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from cryptable import circuits
from cryptable.errors import FormatError, MismatchError, PlanError, RangeError, TableError

ADDER = """
.model adder
.inputs a[0] a[1] b[0] b[1]
.outputs s[0] s[1] s[2]
.names a[0] b[0] s[0]
10 1
01 1
.names a[0] b[0] c
11 1
.names a[1] b[1] c s[1]
100 1
010 1
001 1
111 1
.names a[1] b[1] c s[2]
11- 1
1-1 1
-11 1
.end
"""


@pytest.fixture(scope="module")
def adder():
    plan = circuits.plan(circuits.Circuit.from_blif(ADDER), insecure_toy=True, log2_fail=-30)
    secret = circuits.SecretKey.generate(plan)
    return plan, secret, secret.evaluation_key(progress=False)


def test_an_adder_on_all_words(adder, tmp_path):
    plan, secret, server = adder
    assert plan.circuit.inputs == [("a", 2), ("b", 2)] and plan.circuit.outputs == [("s", 3)]
    a, b = np.meshgrid(np.arange(4), np.arange(4))
    words = secret.encrypt(plan, {"a": a, "b": b})
    assert words.shape == (4, 4) and words.ports == [("a", 2), ("b", 2)]
    for circuit in (plan, plan.circuit):
        result = server.run(circuit, words, progress=False)
        np.testing.assert_array_equal(secret.decrypt(result)["s"], a + b)
    assert plan.circuit.evaluate(3, 2) == [5]
    words.save(tmp_path / "words.ct")
    secret.save_evaluation_key(tmp_path / "server.key", progress=False)
    again = circuits.EvaluationKey.open(tmp_path / "server.key", allow_insecure=True)
    result = again.run(plan, circuits.EncryptedWords.load(tmp_path / "words.ct"), progress=False)
    np.testing.assert_array_equal(secret.decrypt(pickle.loads(pickle.dumps(result)))["s"], (a + b).ravel())


def test_built_in_circuits():
    assert "add32" in circuits.NAMES
    add = circuits.Circuit.named("add32")
    assert add.evaluate(2**32 - 1, 2) == [1]
    plan = circuits.plan(add)
    assert plan.security_bits >= 128 and plan.log2_fail <= -64 and plan.words_at_once >= 1 << 14
    assert plan.candidates[0][0] == plan.set and plan.set in str(plan)
    wide = circuits.Circuit.named("aes128")
    assert max(width for _, width in wide.inputs) == 128
    with pytest.raises(PlanError, match="memory"):
        circuits.plan(add, memory=10**6)


def test_netlists_of_files():
    clamp = circuits.Circuit.read(Path(__file__).parents[3] / "examples/circuits/clamp.blif")
    assert clamp.name and clamp.inputs
    with pytest.raises(FormatError, match="line"):
        circuits.Circuit.from_blif(".model x\n.inputs a\n.outputs b\n.names a b\n2 1\n.end\n")


def test_what_is_refused(adder):
    plan, secret, server = adder
    with pytest.raises(RangeError, match='position 1 of input "a"'):
        secret.encrypt(plan, {"a": [1, 4], "b": [0, 0]})
    with pytest.raises(ValueError, match='no words for the input "b"'):
        secret.encrypt(plan, {"a": [1]})
    with pytest.raises(ValueError, match="no input c"):
        secret.encrypt(plan, {"a": [1], "b": [1], "c": [1]})
    other = circuits.SecretKey.generate(plan)
    with pytest.raises(MismatchError, match="client key"):
        server.run(plan, other.encrypt(plan, {"a": [1], "b": [1]}), progress=False)
    words = secret.encrypt(plan, {"a": [1], "b": [1]})
    with pytest.raises(MismatchError, match="words"):
        server.run(circuits.Circuit.named("add32"), words, progress=False)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret)


def test_circuits_that_are_made_here():
    builder = circuits.CircuitBuilder("all_kinds")
    x, y = builder.input("x", 3), builder.input("y", 3)
    total, carry = builder.add_with_carry(x, y, builder.constant(True))
    words = {
        "total": [*total, carry],
        "sum": builder.add(x, y),
        "difference": builder.subtract(x, y),
        "product": builder.multiply(x, y, 6),
        "bits": [
            builder.less_than(x, y),
            builder.less_than(x, y, signed=True),
            builder.equal(x, y),
            builder.parity(x),
            builder.majority(*x),
            builder.table([value % 3 == 0 for value in range(8)], x),
            x[0] & y[0] | ~(x[1] ^ y[1]),
            builder.constant(True),
        ],
    }
    for name, word in words.items():
        builder.output(name, word)
    circuit = builder.finish()
    assert circuit.name == "all_kinds" and circuit.inputs == [("x", 3), ("y", 3)]
    again = circuits.Circuit.from_blif(circuit.to_blif())
    signed = [value - 8 if value >= 4 else value for value in range(8)]
    for a in range(8):
        for b in range(8):
            found = circuit.evaluate(a, b)
            assert found == again.evaluate(a, b)
            bits = [a < b, signed[a] < signed[b], a == b, a.bit_count() % 2, a.bit_count() >= 2, a % 3 == 0]
            bits += [(a & 1 and b & 1) or (a >> 1 & 1) == (b >> 1 & 1), 1]
            packed = sum(bool(bit) << i for i, bit in enumerate(bits))
            assert found == [a + b + 1, (a + b) % 8, (a - b) % 8, a * b, packed]
    assert circuit.statistics["gates"] > circuit.statistics["levels"] > 1


def test_signals_stay_with_their_circuit():
    builder, other = circuits.CircuitBuilder("a"), circuits.CircuitBuilder("b")
    [x], [y] = builder.input("x", 1), other.input("x", 1)
    with pytest.raises(MismatchError, match="another circuit"):
        _ = x & y
    with pytest.raises(ValueError, match="x"):
        builder.input("x", 1)
    with pytest.raises(ValueError, match="the same number"):
        builder.add([x], [x, x])
    with pytest.raises(TableError, match="a table of 2 bits"):
        builder.table([True, False, True, False], [x])
    with pytest.raises(TypeError, match="multiplexer"):
        bool(x)
    builder.output("y", [x])
    builder.finish()
    with pytest.raises(ValueError, match="finished"):
        builder.input("z", 1)
