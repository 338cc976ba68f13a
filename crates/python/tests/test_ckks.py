"""Encrypted vectors, against numpy."""

import pickle

import cryptable
import numpy as np
import pytest
from cryptable import ckks
from cryptable.errors import MismatchError, RangeError, TrustError, UnsupportedError


@pytest.fixture(scope="module")
def keys():
    secret = ckks.SecretKey.generate(ckks.Parameters.named("insecure_toy"))
    matrix = np.array([[1, 2], [-3, 0.5]])
    maps = [ckks.LinearMap(secret.parameters, matrix, 3)]
    keys = {"rotations": [1], "powers_of_two": True, "conjugation": True, "maps": maps}
    return secret, ckks.evaluation_key(secret, **keys, progress=False), maps[0]


def near(found, expected, error=1e-5):
    np.testing.assert_allclose(found, expected, atol=error, rtol=0)


def test_arithmetic(keys):
    secret, server, _ = keys
    random = np.random.default_rng(9)
    a, b = random.uniform(-1, 1, (2, 4, 5))
    x, y = secret.encrypt(a), secret.encrypt(b)
    assert x.shape == (4, 5) and x.bounds == (1.0, 0.0) and x.error[0] < 1e-6
    with ckks.computing(server):
        near(secret.decrypt(x + y), a + b)
        near(secret.decrypt(x * y - 0.25), a * b - 0.25)
        near(secret.decrypt(1 - 2 * x), 1 - 2 * a)
        near(secret.decrypt(b * x), a * b)
        near(secret.decrypt(-(x + b)), -(a + b))
        assert (x * y).level == x.level - 1 and (2 * x).level == x.level


def test_public_keys(keys, tmp_path):
    secret, server, _ = keys
    secret.public_key().save(tmp_path / "vectors.pub")
    with pytest.raises(TrustError):
        ckks.PublicKey.load(tmp_path / "vectors.pub")
    public = ckks.PublicKey.load(tmp_path / "vectors.pub", allow_insecure=True)
    assert public.id in repr(public) and public.parameters == secret.parameters
    assert ckks.PublicKey.from_bytes(public.to_bytes(), allow_insecure=True).id == public.id
    found = cryptable.inspect(tmp_path / "vectors.pub")
    assert (found["object"], found["key_id"]) == ("a public key for vectors", public.id)
    a, b = np.random.default_rng(8).uniform(-1, 1, (2, 4, 5))
    x, y = public.encrypt(a), secret.encrypt(b)
    assert x.error[0] > y.error[0]
    with ckks.computing(server):
        near(secret.decrypt(x * y), a * b)
    near(secret.decrypt(public.encrypt(2j * a, bound=2)), 2j * a)
    with pytest.raises(RangeError):
        public.encrypt([1.5])


def test_slots(keys):
    secret, server, map_ = keys
    values = np.random.default_rng(10).uniform(-1, 1, secret.parameters.slots)
    x = secret.encrypt(values)
    near(secret.decrypt(server.rotate(x, 5)), np.roll(values, -5))
    near(secret.decrypt(server.inner_sum(x, 4))[0], values[:4].sum())
    pairs = secret.encrypt(np.resize([0.5, 0.25], secret.parameters.slots))
    near(secret.decrypt(server.transform(pairs, server.prepare(map_)))[:2].real, [1, -1.375])
    z = values[:8] + 1j * values[8:16]
    near(secret.decrypt(server.conjugate(secret.encrypt(z))), z.conj())
    assert secret.encrypt(values[:3]).all_slots().shape == values.shape


def test_functions(keys):
    secret, server, _ = keys
    values = np.array([0.5, -0.25, 1.0])
    x = secret.encrypt(values)
    cosine = ckks.Polynomial.interpolate(lambda v: float(np.cos(v)), 7)
    near(secret.decrypt(server.polynomial(x, cosine)), np.cos(values), 1e-4)
    table = ckks.LeveledTable([0.5, -1.0, 0.25, 1.0])
    digits = secret.encrypt([0, 1, 2, 3], bound=3.0)
    near(secret.decrypt(server.leveled_table(digits, table)), [0.5, -1, 0.25, 1])
    with pytest.raises(ZeroDivisionError):
        ckks.Polynomial.interpolate(lambda v: 1 / 0, 7)


def test_bootstraps_and_lookups(tmp_path):
    secret = ckks.SecretKey.generate(ckks.Parameters.named("insecure_toy_bootstrapping"))
    ckks.save_evaluation_key(secret, tmp_path / "server.key", lookups=True, progress=False)
    server = ckks.EvaluationKey.open(tmp_path / "server.key", allow_insecure=True)
    values = np.array([0.5, -0.25, 1 - 1 / 8, 0.0])
    x = server.lower(secret.encrypt(values), 1)
    again = server.bootstrap(x)
    assert again.level > x.level
    near(secret.decrypt(again), values, 1e-3)
    points = np.arange(-1, 1, 0.125)
    sign = ckks.SlotTable(np.where(points < 0, -1, 1), first=-1.0, step=0.125)
    near(secret.decrypt(server.lookup(secret.encrypt(values), sign)), np.where(values < 0, -1, 1), 1e-3)
    restored = pickle.loads(pickle.dumps(server))
    assert restored.key_id == secret.id


def test_files_and_pickles(keys, tmp_path):
    secret, _, _ = keys
    values = np.array([[0.5, -0.25], [1.0, 0.0]])
    x = secret.encrypt(values)
    x.save(tmp_path / "x.ct")
    secret.save(tmp_path / "client.key")
    client = ckks.SecretKey.load(tmp_path / "client.key", allow_insecure=True)
    near(client.decrypt(ckks.Vector.load(tmp_path / "x.ct", secret.parameters))[:4], values.ravel())
    near(client.decrypt(pickle.loads(pickle.dumps(x))), values)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret)
    with pytest.raises(TrustError):
        ckks.SecretKey.load(tmp_path / "client.key")


def test_what_is_refused(keys):
    secret, server, _ = keys
    x = secret.encrypt([0.5])
    with pytest.raises(UnsupportedError, match="computing"):
        _ = x + x
    with pytest.raises(RangeError, match="absolute value"):
        secret.encrypt([1.5])
    with pytest.raises(UnsupportedError):
        server.bootstrap(x)
    with pytest.raises(MismatchError):
        server.add(x, ckks.SecretKey.generate(secret.parameters).encrypt([0.5]))
    with pytest.raises(ValueError, match="shape"):
        server.mul(x, [1.0, 2.0])
    with pytest.raises(ValueError, match="no parameter set"):
        ckks.Parameters.named("best")


def test_plans():
    plan = ckks.plan_lookups(16, values=2000, precision_bits=10, levels=3)
    best = plan.best
    assert best.precision_bits >= 10 and best.level >= 3 and best.parameters.security_bits >= 128
    assert str(plan).count("\n") == 1 + len(plan.candidates)


def test_packed_integers_share_a_secret():
    packed = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
    with pytest.raises(MismatchError, match="ring degree"):
        ckks.SecretKey.sharing(ckks.Parameters.named("leveled_128"), packed)


def test_smooth_functions():
    secret = ckks.SecretKey.generate(ckks.Parameters.named("insecure_toy_bootstrapping"))
    server = ckks.evaluation_key(secret, lookups=True, progress=False)
    x = np.linspace(0.5, 3, 40)
    softplus = ckks.SmoothFunction.fit(lambda x: np.log1p(np.exp(x)), -4, 4, tolerance=1e-5)
    functions = [
        (ckks.SmoothFunction.gelu(tolerance=1e-5), None),
        (ckks.SmoothFunction.sigmoid(), 1 / (1 + np.exp(-x))),
        (ckks.SmoothFunction.tanh(), np.tanh(x)),
        (ckks.SmoothFunction.exponential(-1, 3), np.exp(x)),
        (ckks.SmoothFunction.reciprocal(0.5, 3), 1 / x),
        (ckks.SmoothFunction.square_root(0.5, 3), np.sqrt(x)),
        (softplus, np.log1p(np.exp(x))),
    ]
    vector = secret.encrypt(x, bound=3)
    for function, expected in functions:
        result = server.lookup(vector, function)
        predicted = secret.parameters.predict_lookup(vector, function)
        assert predicted["level"] == result.level and predicted["error"] == result.error
        found = secret.decrypt(result)
        near(found, [function(value) for value in x], 1e-3)
        if expected is not None:
            near(found, expected, 1e-3)
    assert softplus.interval == (-4.0, 4.0) and softplus.period > 8 and softplus.levels >= 3
    assert 0 < softplus.error <= 1e-5 and 0.9 < softplus.slope < 1.1
    assert repr(softplus).startswith("SmoothFunction([-4, 4], error")
    assert len(server.lookup_many(vector, [softplus, softplus])) == 2
    plan = ckks.plan_lookups(softplus, precision_bits=14)
    assert plan.best.precision_bits >= 14 and plan.best.order == 0
    with pytest.raises(RangeError, match="no series of 256"):
        ckks.SmoothFunction.fit(abs, -1, 1)
    with pytest.raises(RangeError, match="larger end"):
        server.lookup(secret.encrypt([5.0], bound=5), softplus)
    with pytest.raises(ZeroDivisionError):
        ckks.SmoothFunction.fit(lambda x: 1 / 0, -1, 1)


def test_what_keys_have_and_lookups_will_give():
    parameters = ckks.Parameters.named("insecure_toy_bootstrapping")
    secret = ckks.SecretKey.generate(parameters)
    server = ckks.evaluation_key(secret, lookups=True, progress=False)
    assert server.has_lookups and server.has_bootstrapping and not server.has_conjugation
    deviation, bias = parameters.bootstrap_error
    assert 0 < deviation < 1e-3 and 0 <= bias < 1e-3
    assert ckks.Parameters.named("insecure_toy").bootstrap_error is None
    table = ckks.SlotTable([-1.0, 1.0] * 8, first=-1.0, step=0.125)
    points, period = table.points
    assert points[0] == -1.0 and len(points) == 16 and period == 2.0
    x = secret.encrypt([points[3], points[4]])
    predicted = parameters.predict_lookup(x, table)
    found = server.lookup(x, table)
    assert found.level == predicted["level"] and predicted["phase_error"] < 1
    near(secret.decrypt(found)[:2], [1.0, -1.0], 10 * sum(predicted["error"]) + 1e-6)
    assert x.scale > 1 and parameters.packed_index(1) == parameters.slots // 2
    with pytest.raises(RangeError):
        parameters.packed_index(parameters.slots)


def test_how_far_polynomials_are_from_functions():
    rough, fine = (ckks.Polynomial.interpolate(np.exp, degree) for degree in (3, 7))
    assert fine.max_error(np.exp) < 1e-5 < rough.max_error(np.exp) < 0.02
    with pytest.raises(ZeroDivisionError):
        fine.max_error(lambda x: 1 / 0)
