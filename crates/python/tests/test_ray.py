"""Lookups by a local cluster of Ray: two workers, one of them killed in the middle."""

import os
import signal
from pathlib import Path

import cryptable
import numpy as np
import pytest
from cryptable.errors import MismatchError

ray = pytest.importorskip("ray", reason="ray is not installed: pip install '.[ray]'")
pytest.importorskip("pyarrow", reason="ray[data] is not installed: pip install '.[ray]'")

import cryptable.ray  # noqa: E402

TABLE = np.random.default_rng(6).integers(0, 16, 16)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    # One of its own, whatever else runs or ran on this machine.
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=2**28)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
    path = tmp_path_factory.mktemp("keys") / "server.key"
    secret.save_evaluation_key(path, progress=False)
    return secret, path


def worker_pids():
    """Processes that look values up."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"ray::MapWorker" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc").exists(), reason="workers are found in /proc")
def test_a_killed_worker_loses_nothing(keys, tmp_path):
    secret, path = keys
    random = np.random.default_rng(7)
    values = [random.integers(0, 16, 2000) for _ in range(24)]
    files = []
    for index, part in enumerate(values):
        files.append(tmp_path / f"{index}.ct")
        secret.encrypt(part).save(files[-1])
    killed = []

    def kill_one(done, total):
        if done >= 4 and not killed:
            killed.extend(worker_pids()[:1])
            os.kill(killed[0], signal.SIGKILL)

    output = tmp_path / "results"
    results = cryptable.ray.lookup(files, path, TABLE, output=output, workers=2, progress=kill_one, allow_insecure=True)
    assert killed and results == [output / file.name for file in files]
    for part, result in zip(values, results, strict=True):
        np.testing.assert_array_equal(secret.decrypt(cryptable.Ciphertext.load(result)), TABLE[part])
    assert sorted(os.listdir(output)) == sorted([".cryptable-lookup", *(file.name for file in files)])
    # Another run finds all results there.
    before = [result.stat().st_mtime_ns for result in results]
    again = cryptable.ray.lookup(files, path, TABLE, output=output, progress=False, allow_insecure=True)
    assert again == results and [result.stat().st_mtime_ns for result in again] == before


def test_ciphertexts_through_the_object_store(keys):
    secret, path = keys
    values = np.arange(16).reshape(2, 8)
    parts = [secret.encrypt(values), secret.encrypt(values[::-1])]
    key = cryptable.EvaluationKey.open(path, allow_insecure=True)
    results = cryptable.ray.lookup(parts, key, TABLE, workers=1, share="store", progress=False, allow_insecure=True)
    np.testing.assert_array_equal(secret.decrypt(results[0]), TABLE[values])
    np.testing.assert_array_equal(secret.decrypt(results[1]), TABLE[values[::-1]])
    cryptable.ray.forget_keys()


def test_a_dataset(keys):
    secret, path = keys
    rows = [{"name": f"part {i}", "ciphertext": secret.encrypt([i, 15 - i]).to_bytes()} for i in range(4)]
    dataset = cryptable.ray.lookup(ray.data.from_items(rows), path, TABLE, workers=1, allow_insecure=True)
    found = list(dataset.iter_rows())
    assert [row["name"] for row in found] == [row["name"] for row in rows]
    for i, row in enumerate(found):
        result = secret.decrypt(cryptable.Ciphertext.from_bytes(row["ciphertext"]))
        assert result.tolist() == [TABLE[i], TABLE[15 - i]]


def test_what_is_refused(keys, tmp_path):
    secret, path = keys
    with pytest.raises(TypeError, match="output"):
        cryptable.ray.lookup([tmp_path / "a.ct"], path, TABLE, allow_insecure=True)
    with pytest.raises(TypeError, match="save_evaluation_key"):
        cryptable.ray.lookup([secret.encrypt([1])], secret.evaluation_key(progress=False), TABLE)
    with pytest.raises(ValueError, match="share"):
        cryptable.ray.lookup([secret.encrypt([1])], path, TABLE, share="post", allow_insecure=True)
    (tmp_path / "a.ct").touch()
    with pytest.raises(FileExistsError, match=r"a\.ct"):
        cryptable.ray.lookup([tmp_path / "a.ct"], path, TABLE, output=tmp_path, allow_insecure=True)
    (tmp_path / ".cryptable-lookup").write_text("of another\n")
    with pytest.raises(MismatchError, match="another table or key"):
        cryptable.ray.lookup([tmp_path / "a.ct"], path, TABLE, output=tmp_path, allow_insecure=True)
    assert cryptable.ray.lookup([], path, TABLE, allow_insecure=True) == []
