"""Tables of arrays, dictionaries and functions."""

import doctest

import cryptable
import numpy as np
import pytest
from cryptable import (
    bfloat16,
    bits,
    booleans,
    bridges,
    circuits,
    ckks,
    code_book,
    comparisons,
    integers,
    large_values,
    linear,
    tables,
    transciphering,
    wide,
)
from cryptable.errors import TableError

MODULES = [cryptable, bfloat16, bits, booleans, bridges, circuits, ckks, code_book, comparisons, integers, large_values]
MODULES += [linear, tables, transciphering, wide]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_of_the_documentation(module):
    assert doctest.testmod(module).failed == 0


def test_nothing_is_cut_off():
    # Fractions would be lost, as of arrays of floats, which are refused, too.
    for source in (lambda x: x / 2, {0: 0.5, 1: 1}, {0.5: 0, 1: 1}, [0.5, 1], {0: 0, 1: float("nan")}):
        with pytest.raises(TypeError, match=r"must be (an integer|integers)"):
            cryptable.table(source, inputs=2)
    with pytest.raises(TypeError, match=r"the default is 1\.5"):
        cryptable.table({0: 1}, inputs=2, default=1.5)
    with pytest.raises(TypeError, match="CodeBook"):
        cryptable.table({"1": 1})
    # Whole ones lose nothing.
    assert cryptable.table(lambda x: np.floor(x / 2), inputs=4).outputs.tolist() == [0, 0, 1, 1]
    assert cryptable.table({0: True, np.int64(1): np.uint8(3)}).outputs.tolist() == [1, 3]


def test_outputs_of_any_size_and_of_pandas():
    for source in (lambda x: 2**70, {0: 0, 1: 2**70}, [0, 2**70], np.array([0, -(2**70)])):
        with pytest.raises(TableError, match=r"at position [01] has more than 64 bits"):
            cryptable.table(source, inputs=2)
    pandas = pytest.importorskip("pandas")
    assert cryptable.table(pandas.array([3, 1, 2, 0], dtype="Int64")).outputs.tolist() == [3, 1, 2, 0]
    with pytest.raises(TypeError, match="must be integers"):
        cryptable.table(pandas.array([3, None], dtype="Int64"))


def test_moduli_are_the_least_powers_of_two():
    assert cryptable.table([0, 0]).output_modulus == 2
    assert cryptable.table([1, 4]).output_modulus == 8
    assert cryptable.table([-4, 3], signed=True).output_modulus == 8
    assert cryptable.table([-5, 3], signed=True).output_modulus == 16
    assert cryptable.table([0, 4], signed=True).output_modulus == 16


def test_signed_tables_of_functions_and_dictionaries():
    table = cryptable.table(lambda x: x, inputs=5, output_modulus=5, signed=True)
    assert table.outputs.tolist() == [0, 1, 2, -2, -1]
    table = cryptable.table({-1: -1, 0: 0}, inputs=4, default=1, signed=True, output_modulus=4)
    assert table.outputs.tolist() == [0, 1, 1, -1]


def test_what_is_no_table():
    with pytest.raises(TableError, match="number of inputs"):
        cryptable.table(abs)
    with pytest.raises(TableError, match="no output for input 1"):
        cryptable.table({0: 1, 2: 3})
    with pytest.raises(TableError, match="one dimension"):
        cryptable.table(np.zeros((2, 2), int))
    with pytest.raises(TypeError, match="float64"):
        cryptable.table([0.5, 1.0])
    with pytest.raises(TableError, match="input 9"):
        cryptable.table({9: 1}, inputs=4, default=0)


def test_tables_of_bfloat16():
    table = bfloat16.table(lambda x: -x)
    patterns = np.arange(1 << 16)
    numbers = patterns & 0x7FFF <= 0x7F80
    np.testing.assert_array_equal(table.outputs[numbers], patterns[numbers] ^ 0x8000)
    with pytest.raises(ZeroDivisionError):
        bfloat16.table(lambda x: 1 / x)


def test_masked_elements_are_no_values(packed):
    secret, server = packed
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    whole = np.ma.array([1, 2, 3])
    table = np.ma.array(range(16), mask=[1] + [0] * 15)
    x = secret.encrypt(whole)
    assert secret.decrypt(x).tolist() == [1, 2, 3]
    for call in (
        lambda: secret.encrypt(masked),
        lambda: secret.encrypt([whole, masked]),
        lambda: secret.encrypt([[1, 2, 3], [1, np.ma.masked, 3]]),
        lambda: cryptable.integers.encrypt(secret, masked, dtype="uint8"),
        lambda: cryptable.CodeBook(["a"]).encode(np.ma.array(["a", "b"], mask=[0, 1])),
        lambda: cryptable.CodeBook.of(masked),
        lambda: server.lookup(x, table, progress=False),
        lambda: cryptable.table(table),
        lambda: cryptable.real_table(np.ma.array([0.25, 0.5], mask=[1, 0]), error=1e-2),
        lambda: server.add_plain(x, masked),
        lambda: cryptable.bfloat16.patterns(np.ma.array([0.5], mask=[1])),
    ):
        with pytest.raises(TypeError, match="masked"):
            call()
