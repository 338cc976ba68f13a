"""Automata on words of encrypted values."""

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
    with pytest.raises(CryptableError, match="leveled has them"):
        cryptable.plan(moduli=(256, 256), word_length=1000, engine="packed")
