"""Keys, ciphertexts and code books in files and pickles."""

import concurrent.futures
import datetime
import os
import pickle
import shutil
import stat
import subprocess
import sys
import tempfile

import cryptable
import cryptable.ray
import numpy as np
import pytest
from cryptable.errors import FormatError, RangeError, TableError, TrustError


def test_a_client_and_a_server_that_share_files_only(tmp_path, secret):
    secret.save(tmp_path / "client.key")
    secret.save_evaluation_key(tmp_path / "server.key", progress=False)
    assert stat.S_IMODE(os.stat(tmp_path / "client.key").st_mode) == 0o600
    values = np.arange(16).reshape(4, 4)
    secret.encrypt(values).save(tmp_path / "values.ct")

    server = cryptable.EvaluationKey.open(tmp_path / "server.key", allow_insecure=True)
    assert server.key_id == secret.id and server.engine == secret.engine
    loaded = cryptable.Ciphertext.load(tmp_path / "values.ct")
    assert loaded.shape == (16,) and loaded.reshape(4, 4).shape == loaded.reshape((4, 4)).shape == (4, 4)
    server.lookup(loaded, 15 - np.arange(16)).save(tmp_path / "result.ct")

    client = cryptable.SecretKey.load(tmp_path / "client.key", allow_insecure=True)
    result = client.decrypt(cryptable.Ciphertext.load(tmp_path / "result.ct").reshape(4, 4))
    np.testing.assert_array_equal(result, 15 - values)
    found = cryptable.inspect(tmp_path / "server.key")
    assert found["engine"] == secret.engine and found["insecure"] and found["key_id"] == secret.id


def test_toys_and_damaged_files_are_refused(tmp_path, packed):
    secret, _ = packed
    secret.save(tmp_path / "client.key")
    with pytest.raises(TrustError, match="INSECURE"):
        cryptable.SecretKey.load(tmp_path / "client.key")
    data = bytearray(secret.encrypt([1]).to_bytes())
    data[len(data) // 2] ^= 1
    with pytest.raises(FormatError):
        cryptable.Ciphertext.from_bytes(bytes(data))
    # Messages name the file.
    (tmp_path / "damaged").write_bytes(data)
    for read in (cryptable.Ciphertext.load, cryptable.SecretKey.load, cryptable.EvaluationKey.open, cryptable.inspect):
        with pytest.raises(FormatError, match="damaged: "):
            read(tmp_path / "damaged")
    with pytest.raises(FileNotFoundError, match=r"nothing\.key"):
        cryptable.EvaluationKey.open(tmp_path / "nothing.key")


def test_files_are_replaced_only_if_told_so(tmp_path, packed):
    secret, _ = packed
    path = tmp_path / "client.key"
    secret.save(path)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="replace=True"):
        cryptable.SecretKey.generate_insecure_toy("packed", 16, 16).save(path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["client.key"]
    secret.save(path, replace=True)


def test_pipes_and_devices_are_written_to_and_never_replaced(tmp_path, packed):
    secret, _ = packed
    values = secret.encrypt([1, 2])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_bytes)
        values.save(pipe)
        assert read.result(timeout=60) == values.to_bytes()
    # Through a link, too, as standard output of a shell is one.
    null = tmp_path / "null"
    null.symlink_to(os.devnull)
    values.save(null, replace=True)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode) and null.is_symlink() and stat.S_ISCHR(os.stat(null).st_mode)
    assert sorted(os.listdir(tmp_path)) == ["null", "pipe"]


def test_pickles_hold_public_objects_only(tmp_path, packed):
    secret, server = packed
    encrypted = secret.encrypt([[1, 2], [3, 4]])
    assert secret.decrypt(pickle.loads(pickle.dumps(encrypted))).tolist() == [[1, 2], [3, 4]]
    table = cryptable.table([1, 0, 3, 2])
    assert pickle.loads(pickle.dumps(table)) == table
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret)
    with pytest.raises(TypeError, match="save_evaluation_key"):
        pickle.dumps(server)
    secret.save_evaluation_key(tmp_path / "server.key")
    opened = cryptable.EvaluationKey.open(tmp_path / "server.key", allow_insecure=True)
    again = pickle.loads(pickle.dumps(opened))
    assert secret.decrypt(again.lookup(encrypted, np.arange(16))).tolist() == [[1, 2], [3, 4]]


def test_code_books(tmp_path):
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(["b", "a", "b", "c"], dtype="category")
    book = cryptable.CodeBook.of(column)
    assert book.encode(column).tolist() == [1, 0, 1, 2] and book.decode([2, 0]) == ["c", "a"]
    assert book.decode(pandas.Series([2, 0], dtype="Int64")) == ["c", "a"]
    with pytest.raises(TypeError, match="codes are of type float64"):
        book.decode([0.5])
    with pytest.raises(TypeError, match=r"codes are of type (float64|object)"):
        book.decode(pandas.Series([2, None], dtype="Int64"))
    book.save(tmp_path / "book.json")
    assert cryptable.CodeBook.load(tmp_path / "book.json") == book
    risks = cryptable.CodeBook(["low", "high"])
    table = book.table({"a": "high", "c": "high"}, output_book=risks, default="low", inputs=4)
    assert table.outputs.tolist()[:3] == [1, 0, 1]
    dates = cryptable.CodeBook.of(pandas.to_datetime(["2026-01-02", "2026-01-01"]).to_series())
    assert len(dates) == 2
    with pytest.raises(ValueError, match="'d' is not in the code book of 3 words"):
        book.encode(["a", "d"])
    with pytest.raises(ValueError, match="a value is missing"):
        book.encode(["a", float("nan")])
    with pytest.raises(TableError, match="no output for input 1"):
        book.table({"a": 1, "c": 2})


def test_ciphertexts_are_joined_and_taken_apart(secret, server):
    first, second = secret.encrypt([3, 1, 4]), secret.encrypt([1, 5])
    both = cryptable.Ciphertext.join([first, second])
    assert both.shape == (5,) and both.is_fresh
    assert secret.decrypt(both).tolist() == [3, 1, 4, 1, 5]
    assert [part.size for part in both.parts()] == [part.size for part in first.parts() + second.parts()]
    assert not server.lookup(both, list(range(16)), progress=False).is_fresh


def test_code_books_of_any_words(tmp_path):
    pandas = pytest.importorskip("pandas")
    words = ["a", 3, 2.5, True, None, b"x", ("a", 1), datetime.date(2026, 1, 2), datetime.time(3, 4), -7]
    words += [*pandas.to_datetime(["2026-01-02 10:00", "2026-01-01 11:30"]), np.int64(9), np.str_("b")]
    book = cryptable.CodeBook(words)
    book.save(tmp_path / "book.json")
    loaded = cryptable.CodeBook.load(tmp_path / "book.json")
    assert loaded == book and loaded.decode(range(len(book))) == list(dict.fromkeys(words))
    with pytest.raises(RangeError, match="code 99 stands for no word"):
        book.decode([0, 99])
    with pytest.raises(TypeError, match="no word such as"):
        cryptable.CodeBook([pandas.Interval(0, 1)]).save(tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()
    with pytest.raises(TableError, match="half a character"):
        cryptable.CodeBook(["a\ud800"]).save(tmp_path / "other.json")
    assert [path.name for path in tmp_path.iterdir()] == ["book.json"]
    for missing in (float("nan"), np.float32("nan"), pandas.NaT, pandas.NA):
        with pytest.raises(ValueError, match="word 1 is missing"):
            cryptable.CodeBook(["a", missing])
        with pytest.raises(ValueError, match="is missing"):
            cryptable.CodeBook.of(pandas.Series(["a", missing], dtype=object))
    with pytest.raises(ValueError, match="value 1 is missing"):
        cryptable.CodeBook.of(["a", None])
    (tmp_path / "book.json").write_text((tmp_path / "book.json").read_text().replace("2026-01-02", "2026-99"))
    with pytest.raises(TableError, match="damaged"):
        cryptable.CodeBook.load(tmp_path / "book.json")


def test_keys_that_change_in_place_are_noticed(tmp_path, packed):
    secret, _ = packed
    path, other = tmp_path / "server.key", tmp_path / "other.key"
    secret.save_evaluation_key(path, progress=False)
    secret.save_evaluation_key(other, progress=False)
    values = secret.encrypt(np.arange(16))

    def opened(path):
        return cryptable.EvaluationKey.open(path, allow_insecure=True)

    def lookup(server):
        return secret.decrypt(server.lookup(values, 15 - np.arange(16), progress=False)).tolist()

    expected = (15 - np.arange(16)).tolist()
    unchanged = opened(other)
    server = opened(path)
    assert lookup(server) == expected
    # Replaced is not changed: the mapped file is the one from before.
    os.replace(shutil.copy(path, tmp_path / "copy"), path)
    assert lookup(server) == expected
    server = opened(path)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(bytes(8))
    os.utime(path, (0, 0))
    for _ in range(2):
        with pytest.raises(OSError, match=r"server\.key changed while it was in use: it was written to"):
            lookup(server)
    assert lookup(unchanged) == expected
    # Cut short, the first read would end the interpreter.
    os.truncate(other, 1000)
    with pytest.raises(OSError, match=r"other\.key changed while it was in use: it was \d+ bytes long"):
        lookup(unchanged)


def test_the_folder_of_ray_s_keys_is_of_this_user_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = cryptable.ray._own_folder()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and cryptable.ray._own_folder() == folder
    folder.chmod(0o755)
    with pytest.raises(PermissionError, match="0700"):
        cryptable.ray._own_folder()
    cryptable.ray.forget_keys()
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    folder.symlink_to(own)
    with pytest.raises(PermissionError, match="0700"):
        cryptable.ray._own_folder()


def test_a_secret_key_that_is_none_is_known_by_its_first_bytes(tmp_path, packed):
    secret, _ = packed
    secret.save_evaluation_key(tmp_path / "server.key", progress=False)
    # Nothing but the header, of a file that would be longer than any disk.
    start = tmp_path / "start.key"
    start.write_bytes((tmp_path / "server.key").read_bytes()[:64])
    os.truncate(start, 1 << 42)
    with pytest.raises(FormatError, match="evaluation key"):
        cryptable.SecretKey.load(start)
    with pytest.raises(FormatError, match="evaluation key"):
        cryptable.ckks.SecretKey.load(start)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space")
def test_keys_that_do_not_fit_raise_memory_errors():
    program = """
import resource, cryptable
secret = cryptable.SecretKey.generate(cryptable.plan(range(16), engine="single", values=1))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
limit = int(status["VmSize"].split()[0]) * 1024 + (20 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    secret.evaluation_key(progress=False)
except MemoryError as error:
    print(error)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "the evaluation key may take" in found.stdout
