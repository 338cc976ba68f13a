"""The notebooks run, at toy size."""

import json
import re
import runpy
import warnings
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "examples/notebooks"
NEEDS = {"retina": "PIL", "pandas_codes": "pandas", "methods": "matplotlib"}
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook(name, monkeypatch):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    monkeypatch.setenv("CRYPTABLE_TOY", "1")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(FOLDER)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        runpy.run_path(str(FOLDER / f"{name}.py"))


def test_all_are_listed_and_kept():
    listing = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 6
    for name in NOTEBOOKS:
        assert f"({name}.ipynb)" in listing
        cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        kept = ["".join(cell["source"]).strip() for cell in cells if cell["cell_type"] == "code"]
        parts = re.split(r"^# %%(.*)$", (FOLDER / f"{name}.py").read_text(encoding="utf-8"), flags=re.MULTILINE)
        code = [text.strip() for kind, text in zip(parts[1::2], parts[2::2], strict=True) if "markdown" not in kind]
        assert kept == code, f"{name}: make notebooks keeps the outputs of what is there now"
        assert not any(output["output_type"] == "error" for cell in cells for output in cell.get("outputs", []))
