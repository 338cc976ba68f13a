"""Code books: encode words, names, dates and other values as integers, which can be encrypted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._native import write_file
from ._native.tables import Table
from .errors import RangeError, TableError
from .tables import table, whole

#: The only key in the JSON file of a book whose words are not all strings: its value lists the words.
_WORDS = "words in the order of their codes"

#: Kinds of words other than strings, by their names in files: type, writer, reader.
_KINDS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "bool": (bool, bool, bool),
    "int": (int, int, int),
    "float": (float, float.hex, float.fromhex),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "tuple": (tuple, lambda words: [_to_json(word) for word in words], lambda words: tuple(map(_of_json, words))),
}


def _to_json(word: Any) -> Any:
    """Converts a word to JSON: a string as itself, None as null, others with their kind."""
    word = word.item() if isinstance(word, np.generic) else word
    if word is None or isinstance(word, str):
        return word
    for name, (kind, write, read) in _KINDS.items():
        # Refuse words that would not be read back unchanged, such as times in nanoseconds.
        if isinstance(word, kind) and (written := write(word)) is not None and read(written) == word:
            return {name: written}
    raise TypeError(f"a code book in a file has no word such as {word!r}")


def _of_json(word: Any) -> Any:
    if word is None or isinstance(word, str):
        return word
    [(name, written)] = word.items()
    return _KINDS[name][2](written)


def _equals_itself(word: Any) -> bool:
    try:
        return bool(word == word)
    except TypeError:
        return False


def _missing(place: str, word: Any) -> ValueError:
    return ValueError(f"{place} is missing ({word!r}): leave it out, or name it, as by fillna('unknown') of pandas")


class CodeBook:
    """Assignment of a code to every word: 0, 1, 2, ... in the order in which the words came.

    The client encrypts codes and so needs the book; a server needs it, too, if its table is written in words. A book is
    saved as a JSON file, which the option `--dictionary` of the command line also reads if all words are strings.

    >>> book = CodeBook(["red", "green", "blue"])
    >>> book.encode(["blue", "red"]).tolist()
    [2, 0]
    >>> book.decode([1])
    ['green']
    >>> book.table({"red": 10, "green": 20, "blue": 30})
    Table(3 -> 32)
    """

    def __init__(self, words: Iterable[Hashable] = ()) -> None:
        self._codes: dict[Hashable, int] = {}
        self.extend(words)

    @classmethod
    def of(cls, values: Any) -> CodeBook:
        """Makes a book of all values of a column.

        Words are the categories of a pandas Categorical, in their order, or else the values in the order in which they
        come. Raises a `ValueError` if a value is missing: None, NaN and the like are not words.
        """
        categories = getattr(getattr(values, "cat", values), "categories", None)
        words = categories if categories is not None else as_array(values, dtype=object).ravel()
        gap = next((place for place, word in enumerate(words) if word is None), None)
        if gap is not None:
            raise _missing(f"value {gap}", None)
        return cls(words)

    def extend(self, words: Iterable[Hashable]) -> None:
        """Assigns codes to new words. Raises a `ValueError` for NaN and the like, which are equal to no word."""
        for place, word in enumerate(words):
            # NaN differs from itself, and comparing pandas' NA has no truth value.
            if not isinstance(word, (str, bytes)) and not _equals_itself(word):
                raise _missing(f"word {place}", word)
            self._codes.setdefault(word, len(self._codes))

    def encode(self, values: Any) -> npt.NDArray[np.uint64]:
        """Returns the codes of values, in their shape. Raises a `RangeError` that names the first value without one."""
        values = as_array(values, dtype=object)
        try:
            codes = [self._codes[word] for word in values.ravel()]
        except KeyError as error:
            [word] = error.args
            if word is None or not _equals_itself(word):
                raise _missing("a value", word) from None
            raise RangeError(f"{word!r} is not in the code book of {len(self)} words") from None
        return np.array(codes, dtype=np.uint64).reshape(values.shape)

    def decode(self, codes: npt.ArrayLike) -> list[Hashable]:
        """Returns the words of codes."""
        words = list(self._codes)
        array = as_array(codes)
        if array.dtype.kind == "O":  # pandas' own integers
            array = np.asarray(array.tolist())
        if array.size and array.dtype.kind not in "iu":
            raise TypeError(f"codes are of type {array.dtype}, but must be integers")
        found = array.ravel().tolist()
        stranger = next((code for code in found if not 0 <= code < len(words)), None)
        if stranger is not None:
            raise RangeError(f"code {stranger} stands for no word: the code book has {len(words)}")
        return [words[code] for code in found]

    def table(
        self,
        outputs: Mapping[Hashable, Any],
        *,
        output_book: CodeBook | None = None,
        default: Any = None,
        output_modulus: int | None = None,
        inputs: int | None = None,
    ) -> Table:
        """Makes a table from words to integers, or to words of `output_book`.

        `default` is the output of words that `outputs` omits. `inputs`, at least the number of words, leaves room for
        future words.
        """
        stranger = next((word for word in outputs if word not in self._codes), None)
        if stranger is not None:
            raise TableError(f"{stranger!r} of the table is not in the code book")
        if inputs is not None and inputs < len(self):
            raise TableError(f"the table has {inputs} inputs, but the code book {len(self)} words")

        def code(output: Any) -> int:
            return whole(output, "an output") if output_book is None else int(output_book.encode([output])[0])

        coded = {self._codes[word]: code(output) for word, output in outputs.items()}
        gap = None if default is None else code(default)
        # Codes beyond the words are never encrypted, so their outputs are arbitrary.
        unused = {place: 0 for place in range(len(self), inputs or max(2, len(self)))}
        return table(unused | coded, inputs=inputs or max(2, len(self)), default=gap, output_modulus=output_modulus)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the book as JSON. Words are strings, numbers, booleans, dates, times, bytes, None, tuples."""
        target = Path(path)
        if all(isinstance(word, str) for word in self._codes):
            content: Any = self._codes
        else:
            content = {_WORDS: [_to_json(word) for word in self._codes]}
        try:
            text = json.dumps(content, ensure_ascii=False, indent=0).encode()
        except UnicodeEncodeError as error:
            word = error.object[error.start : error.end]
            raise TableError(f"{target}: a word holds {word!r}, which is half a character, not text") from None
        write_file(target, text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CodeBook:
        """Reads a book from a JSON file."""
        codes = json.loads(Path(path).read_text(encoding="utf-8"))
        if isinstance(codes, dict) and isinstance(codes.get(_WORDS), list):
            try:
                return cls(map(_of_json, codes[_WORDS]))
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise TableError(f"{os.fspath(path)}: a word is damaged: {error}") from error
        words = sorted(codes, key=codes.__getitem__)
        if [codes[word] for word in words] != list(range(len(words))):
            raise TableError(f"{os.fspath(path)}: codes are not 0 to {len(words) - 1}, each once")
        return cls(words)

    def __len__(self) -> int:
        return len(self._codes)

    def __contains__(self, word: Hashable) -> bool:
        return word in self._codes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CodeBook) and self._codes == other._codes

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"CodeBook({len(self)} {'word' if len(self) == 1 else 'words'})"
