"""The session of the book's tutorial is true."""

import doctest
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[3] / "docs/book/src/tutorials/python.md"


def test_the_tutorial_on_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(TUTORIAL.with_name("models.md")), module_relative=False)
    assert result.attempted > 10 and result.failed == 0


def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(TUTORIAL), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert result.attempted > 20 and result.failed == 0
