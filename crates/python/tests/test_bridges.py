"""Packed results that go on as integers or leveled values, and back."""

import pickle

import cryptable
import numpy as np
import pytest
from cryptable import bridges, large_values
from cryptable.errors import MismatchError


def test_integers(tmp_path):
    plan = bridges.plan_integers(16, bits=8, function="absolute", values=8, insecure_toy=True)
    assert (plan.input_modulus, plan.output_modulus) == (16, 256) and plan.log2_fail <= -30
    assert [name for name, *_ in plan.steps] and str(plan)
    secrets = bridges.SecretKeys.generate(plan)
    secrets.save(tmp_path / "client.key")
    secrets.save_evaluation_keys(tmp_path / "server.key", progress=False)
    server = bridges.EvaluationKeys.open(tmp_path / "server.key", allow_insecure=True)
    secrets = bridges.SecretKeys.load(tmp_path / "client.key", allow_insecure=True)
    table = server.prepare(cryptable.table(lambda x: 8 * x - 60, inputs=16, output_modulus=256, signed=True))
    values = np.arange(8) * 2
    outputs = table_outputs = np.where(values < 8, 8 * values - 60, 8 * (values - 16) - 60)
    [found] = server.lookup_many(secrets.encrypt(values), [table], progress=False)
    np.testing.assert_array_equal(secrets.decrypt(found, signed=True), (outputs + 128) % 256 - 128)
    x = server.to_integers(found, 0, 2)
    assert secrets.decrypt_integers(pickle.loads(pickle.dumps(x))).tolist() == table_outputs[:2].tolist()
    positive = large_values.absolute(server.single, x, progress=False)
    assert secrets.decrypt_integers(positive).tolist() == np.abs(table_outputs[:2]).tolist()
    signs = large_values.sign(server.single, x, progress=False)
    assert secrets.decrypt_small(signs).tolist() == [1, 1]
    # Packed again, and out once more; all functions of large values at the other end.
    bits = server.pack(signs, progress=False)
    selector = server.to_small(bits, 0, 2, progress=False)
    assert secrets.decrypt_small(selector).tolist() == [1, 1]
    key = server.single
    [first, second] = large_values.to_radix(key, x, progress=False)
    chosen = key.radix_add(first, second)
    assert secrets.decrypt_radix(chosen) == int(table_outputs[:2].sum()) % 512
    assert key.key_id in secrets.ids
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(key)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secrets)
    with pytest.raises(MismatchError, match="leveled"):
        server.prepare_leveled(cryptable.table([0, 1]))
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        bridges.plan_integers(16, bits=8, speed=3)


def test_a_second_table():
    plan = bridges.plan_table(16, moduli=(16, 16), values=4, insecure_toy=True)
    secrets = bridges.SecretKeys.generate(plan)
    server = secrets.evaluation_keys(progress=False)
    first, second = np.arange(16)[::-1], np.arange(16) * 7 % 16
    digits = bridges.digit_tables(first, inputs=16, output_modulus=16)
    found = server.lookup_many(secrets.encrypt([1, 5, 9, 15]), [server.prepare(it) for it in digits], progress=False)
    leveled = server.to_leveled(found, 1, 3)
    assert secrets.decrypt_leveled(leveled).tolist() == first[[5, 9]].tolist()
    result = server.lookup_leveled(leveled, server.prepare_leveled(cryptable.table(second)), progress=False)
    assert secrets.decrypt_leveled(result).tolist() == second[first[[5, 9]]].tolist()


def test_digits_go_on_and_come_back():
    toy = cryptable.Parameters.insecure_toy("packed", 512, 8, digits=[8, 8, 8])
    secrets = bridges.SecretKeys.joining(toy, 9)
    server = secrets.evaluation_keys(progress=False)
    values = np.arange(0, 512, 37)
    outputs = (values * 5 + 3) % 512
    tables = [
        server.prepare(cryptable.table(lambda x, k=k: (x * 5 + 3) % 512 >> 3 * k & 7, inputs=512)) for k in range(3)
    ]
    found = server.lookup_many(secrets.encrypt(values), tables, progress=False)
    integers = server.to_radix(found, 0, 4, progress=False)
    assert [secrets.decrypt_radix(it) for it in integers] == outputs[:4].tolist()
    sums = [server.single.radix_add(it, it) for it in integers]
    packed = server.pack_radix(sums, progress=False)
    assert len(packed) == 3 and packed[0].modulus == 8
    ones = server.prepare(cryptable.table(lambda x: x.bit_count() % 8, inputs=512, output_modulus=8))
    [result] = server.lookup_digits(packed, [ones], progress=False)
    expected = [(2 * int(it) % 512).bit_count() % 8 for it in outputs[:4]]
    assert secrets.decrypt(result).tolist() == expected
