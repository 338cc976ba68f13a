"""Automata on words of encrypted values, and registers that encrypted bits increment."""

import cryptable
import numpy as np
import pytest
from cryptable.errors import CryptableError


def test_patterns_are_counted_in_words() -> None:
    secret = cryptable.SecretKey.generate_insecure_toy("leveled", 4, 16)
    server = secret.evaluation_key()
    words = np.array([[[3, 3, 3], [3, 3, 0]], [[0, 3, 3], [1, 2, 3]]])
    automaton = cryptable.Automaton.occurrences([3, 3], 4)
    found = server.run_automaton(automaton, secret.encrypt(words), progress=False)
    assert found.shape == (2, 2)
    assert secret.decrypt(found).tolist() == [[2, 1], [1, 0]]
    assert [automaton.weight(word) for word in words.reshape(-1, 3)] == [2, 1, 1, 0]
    tens = server.run_automaton(automaton, secret.encrypt(words[0]), lambda count: 10 - 3 * count)
    assert secret.decrypt(tens).tolist() == [4, 7]


def test_automata_are_arrays_of_states() -> None:
    # Whether the number of ones is odd.
    parity = cryptable.Automaton([[0, 1], [1, 0]], final_weights=[0, 1])
    assert (parity.symbols, parity.largest_weight(5), parity.weight([1, 0, 1, 1])) == (2, 1, 1)
    assert parity.next.tolist() == [[0, 1], [1, 0]] and parity.weights.tolist() == [[0, 0], [0, 0]]
    assert parity.final_weights.tolist() == [0, 1] and repr(parity) == "Automaton(2 states, 2 symbols)"
    secret = cryptable.SecretKey.generate_insecure_toy("leveled", 2, 2)
    bits = secret.encrypt([1, 1, 1, 0])
    assert secret.decrypt(secret.evaluation_key().run_automaton(parity, bits)) == 1


def test_other_automata_are_refused() -> None:
    with pytest.raises(CryptableError, match="next state"):
        cryptable.Automaton([[0, 2], [1, 0]])
    with pytest.raises(ValueError, match="dimensions"):
        cryptable.Automaton([0, 1])
    with pytest.raises(ValueError, match="shapes"):
        cryptable.Automaton([[0, 0]], [[1]])
    automaton = cryptable.Automaton.occurrences([1], 2)
    secret = cryptable.SecretKey.generate_insecure_toy("leveled", 4, 4)
    with pytest.raises(CryptableError, match="modulus of the symbols"):
        secret.evaluation_key().run_automaton(automaton, secret.encrypt([1, 2, 3]))
    packed = cryptable.SecretKey.generate_insecure_toy("packed", 2, 4)
    with pytest.raises(CryptableError, match="leveled"):
        packed.evaluation_key().run_automaton(automaton, packed.encrypt([1, 0]))


def test_plans_are_for_words() -> None:
    plan = cryptable.plan(moduli=(256, 256), word_length=1000)
    assert plan.best.engine == "leveled" and plan.best.log2_fail <= -64
    with pytest.raises(CryptableError, match="use leveled"):
        cryptable.plan(moduli=(256, 256), word_length=1000, engine="packed")


def test_registers_are_incremented_chosen_and_read() -> None:
    secret = cryptable.SecretKey.generate_insecure_toy("leveled", 2, 64)
    server = secret.evaluation_key()
    bits = server.selectors(secret.encrypt([1, 0, 1]), progress=False)
    assert len(bits) == 3 and repr(bits) == "Selectors(3 bits)"
    squares = server.register(lambda x: x * x % 64, 8)
    squares.add_if(bits, 0, 3)
    squares.add_if(bits, np.array([1, 2]), 2)
    assert (squares.largest, squares.depth) == (7, 3) and repr(squares) == "Register(at most 7, 3 steps)"
    found = squares.read()
    assert found.shape == () and int(secret.decrypt(found)) == 25
    other = server.register(lambda x: x * x % 64, 8)
    kept = squares.copy()
    squares.choose_if(bits, 2, other)
    kept.choose_if(bits, 1, other)
    assert (int(secret.decrypt(squares.read())), int(secret.decrypt(kept.read()))) == (0, 25)
    with pytest.raises(CryptableError, match="8 entries"):
        kept.add_if(bits, 0, 1)
    with pytest.raises(CryptableError, match="there are 3 bits"):
        other.add_if(bits, [0, 3], 1)
    with pytest.raises(ValueError, match="2 numbers for 3 bits"):
        other.add_if(bits, [0, 1, 2], [1, 2])
    assert other.depth == 0
    signed = server.register(cryptable.Table([0, -1, 2, -3], 8, signed="outputs"))
    signed.add_if(bits, [0, 2, 1], 1)
    assert int(secret.decrypt(signed.read())) == 2
    with pytest.raises(CryptableError, match="power of two"):
        server.register(range(6), cyclic=True)
    packed = cryptable.SecretKey.generate_insecure_toy("packed", 2, 4)
    with pytest.raises(CryptableError, match="leveled"):
        packed.evaluation_key().register([0, 1])


def test_plans_are_for_chains_of_registers() -> None:
    plan = cryptable.plan(moduli=(2, 2), chain=10_000)
    assert plan.best.engine == "leveled" and "depth 20200" in plan.best.method
    with pytest.raises(CryptableError, match="use leveled"):
        cryptable.plan(moduli=(2, 2), chain=10_000, engine="packed")


def test_ten_thousand_steps_in_a_row() -> None:
    secret = cryptable.SecretKey.generate(cryptable.plan(moduli=(2, 2), method="cmux-depth-20200"))
    server = secret.evaluation_key(progress=False)
    values = np.array([1, 0, 1, 1, 0, 1, 0, 0])
    bits = server.selectors(secret.encrypt(values), progress=False)
    parity = server.register([0, 1], cyclic=True)
    steps = np.arange(10_000) % len(values)
    parity.add_if(bits, steps, 3)
    assert parity.depth == 10_000
    assert int(secret.decrypt(parity.read())) == int(3 * values[steps].sum()) % 2
