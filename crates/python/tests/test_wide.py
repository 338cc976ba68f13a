"""Dictionaries and tables of words, and tables that not all values share, against Python's."""

import pickle

import cryptable
import numpy as np
import pytest
from cryptable import comparisons, wide
from cryptable.errors import MismatchError, PlanError, RangeError, TableError

QUIET = {"progress": False}


@pytest.fixture(scope="module")
def words():
    plan = wide.plan(8, value_bits=3, insecure_toy=True)
    assert plan.bits == 8 and plan.value_bits == 3 and plan.word_modulus == 16 and "dictionary" in str(plan)
    assert {name for name, *_ in plan.tables} >= {"dictionary", "few pieces, large blocks"}
    secret = cryptable.SecretKey.generate(plan)
    return secret, secret.evaluation_key(**QUIET)


def test_dictionaries(words, tmp_path):
    secret, server = words
    entries = {17 * i % 256: i % 8 for i in range(16)}
    table = wide.dictionary(server, entries, default=6, bits=8)
    assert table.lookups == 4 and table.input_words == 2
    x = np.arange(256, dtype=np.uint16).reshape(16, 16)
    values = wide.encrypt(secret, x, bits=8)
    assert values.shape == (16, 16) and values.words == 2 and values.size == 256
    expected = np.vectorize(lambda key: entries.get(key, 6))(x)
    values.save(tmp_path / "values.ct")
    loaded = wide.WideValues.load(tmp_path / "values.ct", words=2).reshape(16, 16)
    for given in (values, loaded, pickle.loads(pickle.dumps(values))):
        np.testing.assert_array_equal(wide.decrypt(secret, given), x)
    np.testing.assert_array_equal(wide.decrypt(secret, wide.lookup(server, values, table, **QUIET)), expected)
    with pytest.raises(RangeError, match="256"):
        wide.encrypt(secret, [256], bits=8)
    with pytest.raises(RangeError, match="entries"):
        wide.dictionary(server, dict.fromkeys(range(17), 0), default=0, bits=8)


def test_structured_tables(words):
    secret, server = words
    x = np.arange(256)
    values = wide.encrypt(secret, x, bits=8)
    low, high = x % 16, x // 16
    whole = np.arange(16)
    tables = [
        (wide.pieces(server, [0, 40, 200], [3, 9, 1]), np.select([x < 40, x < 200], [3, 9], 1)),
        (wide.sum_of_halves(server, 3 * whole % 16, whole**2 % 16), (3 * low + high**2) % 16),
        (wide.sum_of_halves(server, 7 * whole, 9 * whole, value_bits=8), (7 * low + 9 * high) % 256),
        (wide.products(server, [(whole // 2, whole % 8)]), (low // 2) * (high % 8) % 16),
        (
            wide.classes(server, whole % 3, whole // 8, [[1, 2, 3], [9, 8, 7]]),
            1 + low % 3 + (high // 8) * (8 - 2 * (low % 3)),
        ),
    ]
    for table, expected in tables:
        found = wide.lookup(server, values, table, **QUIET)
        np.testing.assert_array_equal(wide.decrypt(secret, found), expected)
        assert [table.evaluate(int(value)) for value in x[::37]] == expected[::37].tolist()
    with pytest.raises(TableError, match="3"):
        wide.sum_of_halves(server, [1, 2, 3], whole)


def test_structure_that_is_found(words, tmp_path):
    secret, server = words
    x = np.arange(256)
    values = wide.encrypt(secret, x, bits=8)
    kept = np.memmap(tmp_path / "table", np.uint8, "w+", shape=(16, 16))
    kept[:] = (3 * (x % 16) + 5 * (x // 16)).reshape(16, 16) % 16
    tables = [
        (wide.recognise(server, lambda x: np.where(x < 100, 3, 5)), np.where(x < 100, 3, 5)),
        (wide.recognise(server, kept), np.asarray(kept).ravel()),
        (
            wide.recognise(server, (7 * (x % 16) + 9 * (x // 16)) % 256, value_bits=8),
            (7 * (x % 16) + 9 * (x // 16)) % 256,
        ),
    ]
    assert [table.lookups for table, _ in tables] == [3, 2, 4]
    for table, expected in tables:
        found = wide.lookup(server, values, table, **QUIET)
        np.testing.assert_array_equal(wide.decrypt(secret, found), expected)
    with pytest.raises(PlanError, match="without structure"):
        wide.recognise(server, x**3 // 7 % 16)
    with pytest.raises(TableError, match="256"):
        wide.recognise(server, x[:100] % 16)
    with pytest.raises(RangeError, match="output 255 of the table is not from 0 to 15"):
        wide.recognise(server, x)


def test_full_size_plans():
    plan = wide.plan(64)
    assert plan.security_bits >= 128 and plan.log2_fail <= -64 and plan.word_modulus == 65_536
    with pytest.raises(PlanError):
        wide.plan(32, memory=10**6)


@pytest.fixture(scope="module")
def entries():
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16, entries="encrypted")
    return secret, secret.evaluation_key(**QUIET)


def test_a_table_for_every_value(entries):
    secret, server = entries
    x = np.random.default_rng(5).integers(0, 16, (3, 5))
    tables = np.random.default_rng(6).integers(0, 16, (3, 5, 16))
    expected = np.take_along_axis(tables, x[..., None], 2)[..., 0]
    found = server.lookup_per_value(secret.encrypt(x), tables, **QUIET)
    np.testing.assert_array_equal(secret.decrypt(found), expected)
    with pytest.raises(TableError, match="shape"):
        server.lookup_per_value(secret.encrypt(x), tables[0], **QUIET)
    with pytest.raises(TableError, match="16"):
        server.lookup_per_value(secret.encrypt([1]), [[16] * 16], **QUIET)
    encrypted = secret.encrypt_table(tables, per_value=True)
    found = server.lookup_encrypted(secret.encrypt(x), encrypted, **QUIET)
    assert encrypted.count == 15 and encrypted.key_id == secret.id
    np.testing.assert_array_equal(secret.decrypt(found), expected)


def test_a_table_of_two_variables_for_every_value(entries):
    secret, server = entries
    x, y = np.random.default_rng(7).integers(0, 4, (2, 3, 5))
    tables = np.random.default_rng(8).integers(0, 16, (3, 5, 16))
    inputs = [secret.encrypt_digits(x, 4), secret.encrypt_digits(y, 4)]
    found = server.lookup_per_value_digits(inputs, tables, **QUIET)
    expected = np.take_along_axis(tables, (x + 4 * y)[..., None], 2)[..., 0]
    np.testing.assert_array_equal(secret.decrypt(found), expected)
    with pytest.raises(MismatchError, match="inputs' moduli"):
        server.lookup_per_value_digits(inputs[:1], tables, **QUIET)


def test_encrypted_tables_of_two_variables(entries):
    secret, server = entries
    x, y = np.random.default_rng(9).integers(0, 4, (2, 3, 5))
    inputs = [secret.encrypt_digits(x, 4), secret.encrypt_digits(y, 4)]
    hidden = secret.encrypt_table([m % 4 * (m // 4) for m in range(16)])
    np.testing.assert_array_equal(secret.decrypt(server.lookup_encrypted(inputs, hidden, **QUIET)), x * y)
    for wrong, error in ((inputs[:1], MismatchError), ([], ValueError), (7, TypeError)):
        with pytest.raises(error):
            server.lookup_encrypted(wrong, hidden, **QUIET)


def test_a_table_that_the_server_cannot_read(entries, tmp_path):
    secret, server = entries
    squares = np.arange(16) ** 2 % 16
    secret.save_encrypted_table(tmp_path / "table.ct", squares, **QUIET)
    table = server.open_encrypted_table(tmp_path / "table.ct")
    assert table.count is None and table.memory_bytes > 0
    x = np.arange(16).reshape(4, 4)
    found = server.lookup_encrypted(secret.encrypt(x), table, **QUIET)
    np.testing.assert_array_equal(secret.decrypt(found), squares[x])
    secret.encrypt_table(squares).save(tmp_path / "again.ct")
    assert server.open_encrypted_table(tmp_path / "again.ct").key_id == secret.id
    with pytest.raises(ValueError, match="entries"):
        cryptable.plan(squares, entries="secret")
    best = cryptable.plan(np.arange(16), entries="encrypted", engine="packed").best
    assert best.security_bits >= 128 and best.log2_fail <= -64


def test_digits_of_packed_values():
    secret = cryptable.SecretKey.generate(comparisons.plan(8, insecure_toy=True))
    server = secret.evaluation_key(**QUIET)
    sizes = server.digit_sizes
    x = np.array([[0, 77, 200], [255, 1, 128]])
    values = secret.encrypt_integers(x, signed=False)
    digits = server.decompose(values, **QUIET)
    assert len(digits) == len(sizes)
    rest = x.copy()
    for size, [digit] in zip(sizes, digits, strict=True):
        np.testing.assert_array_equal(secret.decrypt(digit), rest % size)
        rest //= size
    np.testing.assert_array_equal(secret.decrypt(server.floor(values, **QUIET)), x // sizes[0])
    opposite = [[cryptable.table(np.arange(size)[::-1], output_modulus=size)] for size in sizes]
    as_arrays = [[np.arange(size)[::-1]] for size in sizes]
    for tables in (opposite, as_arrays):
        [[lowest], *_] = server.decompose(values, tables, **QUIET)
        np.testing.assert_array_equal(secret.decrypt(lowest), sizes[0] - 1 - x % sizes[0])


def test_automata_read_digits():
    secret = cryptable.SecretKey.generate(comparisons.plan(8, insecure_toy=True))
    server = secret.evaluation_key(**QUIET)
    x = np.arange(256).reshape(16, 16)
    values = secret.encrypt_integers(x, signed=False)
    pieces = server.chain_pieces(2)
    assert np.prod(pieces) == 512

    # Whether the sum of the pieces is odd, state and all.
    tables = [[(m % 2 + m // 2) % 2 for m in range(2 * size)] for size in pieces]
    found = server.lookup_chain(values, 2, tables, **QUIET)
    expected, rest = np.zeros_like(x), x.copy()
    for size in pieces:
        expected, rest = (expected + rest % size) % 2, rest // size
    np.testing.assert_array_equal(secret.decrypt(found), expected)
    with pytest.raises(MismatchError, match="one per piece"):
        server.lookup_chain(values, 2, tables[:-1], **QUIET)
    with pytest.raises(MismatchError, match="states"):
        server.chain_pieces(3)
