"""Models that are read of libraries, and programs on encrypted rows, compared with the clear on every row."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cryptable
import numpy as np
import pytest
from cryptable import SecretKey, _ensembles, _models, frames, ml

MODELS = Path(__file__).parent / "models"


def rows(count: int, features: int, seed: int = 1) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=(count, features))


def check(program: ml.Program, data: Any) -> None:
    """Decrypted scores are those in the clear on every row."""
    secret = SecretKey.generate(program.plan)
    server = secret.evaluation_key(progress=False)
    results = program.run(server, program.encrypt(secret, data), progress=False)
    assert np.array_equal(program.decrypt(secret, results), program.scores(data))


def tree(depth: int, seed: int, features: int) -> ml.Split | ml.Leaf:
    random = np.random.default_rng(seed)
    if depth == 0:
        return ml.Leaf((float(random.normal()),))
    left, right = (tree(depth - 1, 2 * seed + side, features) for side in (1, 2))
    return ml.Split(int(random.integers(features)), float(np.float32(random.normal())), left, right)


def ensemble(trees: int, depth: int, features: int) -> ml.Ensemble:
    names = tuple(f"f{i}" for i in range(features))
    return ml.Ensemble(
        "binary", names, (0.25,), tuple(tree(depth, 7 + i, features) for i in range(trees)), classes=("no", "yes")
    )


@pytest.mark.parametrize("bins", ["model", 16])
def test_every_row_has_the_score_of_the_program(bins: Any) -> None:
    model, data = ensemble(5, 3, 4), rows(900, 4)
    labels = np.where(data[:, 0] > 0, "yes", "no")
    program = ml.compile(model, data, labels, bins=bins, insecure_toy=True)
    check(program, data)
    assert program.server.choices_in_a_row == 2
    assert program.agreement > (0.97 if bins == "model" else 0.8)
    assert program.accuracy is not None
    text = str(program)
    assert "accuracy" in text and "GB of memory" in text and "5 trees" in text
    proba = program.predict_proba(program.scores(data))
    assert proba.shape == (900, 2) and np.allclose(proba.sum(axis=1), 1)
    assert set(program.predict(program.scores(data))) == {"no", "yes"}


def test_bins_of_the_model_change_no_comparison() -> None:
    model, data = ensemble(6, 3, 3), rows(500, 3)
    program = ml.compile(model, data, output_bits=16, insecure_toy=True)
    exact = np.array([_models.score(model, row)[0] for row in data.astype(np.float32).astype(float)])
    assert isinstance(program.coding, _ensembles.Coding)
    scale = program.coding.scale
    # What is left is the rounding of leaves.
    assert np.abs(program.scores(data) - exact).max() <= 0.5 * 6 / scale


@pytest.mark.parametrize("name", ["xgboost_binary", "xgboost_classes", "lightgbm_binary"])
def test_models_of_files_have_the_scores_of_their_library(name: str) -> None:
    saved = json.loads((MODELS / f"{name}.json").read_text())
    read = ml.read_lightgbm if name.startswith("lightgbm") else ml.read_xgboost
    model = read(saved["model"])
    data, wanted = np.array(saved["rows"]), np.array(saved["scores"])
    program = ml.compile(model, data, output_bits=16, insecure_toy=True)
    found = program.scores(data)
    assert np.abs(found - wanted).max() < 2e-3
    assert np.array_equal(program.predict(found), program.predict(wanted))
    check(ml.compile(model, data, insecure_toy=True), data)
    assert read(json.dumps(saved["model"])) == model
    if "dump" in saved:
        of_dump = ml.read_xgboost(saved["dump"], features=4, base_score=model.base[0], classes=2)
        assert of_dump.trees == model.trees


def test_linear_models_are_sums_of_tables() -> None:
    names = ("a", "b", "c")
    model = ml.Ensemble("regression", names, (2.0,), (), ((0.5, -1.5, 0.0),), single=False)
    data = rows(700, 3)
    labels = 2 + data @ [0.5, -1.5, 0.0]
    program = ml.compile(model, data, labels, bins=64, insecure_toy=True)
    assert program.server.columns == ["a", "b"] and program.server.choices_in_a_row == 0
    assert program.accuracy is not None and program.accuracy[1] > 0.99
    check(program, data)
    with pytest.raises(TypeError, match="no probabilities"):
        program.predict_proba(program.scores(data))


def test_clients_without_the_model_encrypt_by_its_schema() -> None:
    polars = pytest.importorskip("polars")
    for single, bins in [(True, "model"), (False, "model"), (True, 7)]:
        model = replace(ensemble(2, 2, 3), single=single)
        data = rows(60, 3)
        program = ml.compile(model, data, bins=bins, insecure_toy=True)
        assert isinstance(program.coding, _ensembles.Coding)
        # Values next to thresholds, on both sides, as 32-bit floats and as what is rounded to them.
        starts = _ensembles.least_rounded_to(np.concatenate([program.coding.edges[k] for k in program.coding.used]))
        near = np.concatenate([starts, np.nextafter(starts, -np.inf), starts.astype(np.float32).astype(float)])
        data = np.concatenate([data, np.repeat(near[:, None], 3, axis=1)])
        secret = SecretKey.generate(program.plan)
        server = secret.evaluation_key(progress=False)
        frame = frames.encrypt(secret, polars.DataFrame(data, schema=["f0", "f1", "f2"]), program.schema())
        results = program.run(server, frame, progress=False)
        assert np.array_equal(program.decrypt(secret, results), program.scores(data))
        found = frames.decrypt(secret, results, program.result_schema()).to_polars()["score"].to_numpy()
        assert np.abs(found - program.scores(data)).max() < 1e-12


def test_programs_are_steps_of_pipelines() -> None:
    program = ml.compile(ensemble(2, 2, 3), rows(50, 3), insecure_toy=True)
    literal = json.loads(program.to_json())
    assert literal["columns"] == program.server.columns and literal["results"] == ["score"]
    assert ml.ServerProgram.from_json(program.to_json()).tables == program.server.tables


def test_what_is_not_served_is_refused_by_name() -> None:
    class SVC:
        """A model that is not served."""

    with pytest.raises(ml.UnsupportedModelError, match="a SVC is not supported; supported are DecisionTreeClassifier"):
        ml.compile(SVC(), rows(3, 2))
    saved = json.loads((MODELS / "xgboost_binary.json").read_text())["model"]
    saved["learner"]["objective"]["name"] = "rank:ndcg"
    with pytest.raises(ml.UnsupportedModelError, match='objective "rank:ndcg"'):
        ml.read_xgboost(saved)
    saved["learner"]["gradient_booster"]["name"] = "gblinear"
    with pytest.raises(cryptable.errors.UnsupportedError, match="gblinear"):
        ml.read_xgboost(saved)
    model = ensemble(2, 2, 3)
    with pytest.raises(ValueError, match="the model has 3 features"):
        ml.compile(model, rows(5, 2))
    data = rows(5, 3)
    data[3, 1] = np.nan
    with pytest.raises(ValueError, match='column "f1", row 4: nan is not a number'):
        ml.compile(model, data)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match='the data have no column "f1", which the model has, among 3 columns'):
        ml.compile(model, pandas.DataFrame(rows(5, 3), columns=["f2", "F1", "f0"]))
    with pytest.raises(ValueError, match="a feature has 2 to 256"):
        ml.compile(model, rows(5, 3), bins=300)
    with pytest.raises(ValueError, match="too few"):
        ml.compile(model, rows(5, 3), output_bits=1)
    with pytest.raises(TypeError, match="`features`"):
        ml.read_xgboost([])


def models_of_sklearn() -> list[Any]:
    ensembles = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    linear, trees = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("sklearn.tree")
    return [
        trees.DecisionTreeClassifier(max_depth=3, random_state=1),
        trees.DecisionTreeRegressor(max_depth=3, random_state=1),
        ensembles.RandomForestClassifier(6, max_depth=3, random_state=1),
        ensembles.ExtraTreesRegressor(4, max_depth=3, random_state=1),
        ensembles.GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=1),
        ensembles.GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=1),
        ensembles.HistGradientBoostingClassifier(max_iter=4, max_depth=2, random_state=1),
        linear.LogisticRegression(max_iter=1000),
        linear.Ridge(),
    ]


@pytest.mark.parametrize("index", range(9))
@pytest.mark.parametrize("classes", [2, 3])
def test_models_of_sklearn_have_the_scores_of_their_library(index: int, classes: int) -> None:
    model = models_of_sklearn()[index]
    datasets = pytest.importorskip("sklearn.datasets")
    data, labels = datasets.load_iris(return_X_y=True)
    if classes == 2:
        data, labels = data[:100] + np.random.default_rng(2).normal(size=(100, 4)) / 3, labels[:100]
    is_regression = not hasattr(model, "predict_proba")
    labels = labels * 1.5 if is_regression else np.array(["setosa", "versicolor", "virginica"])[labels]
    model.fit(data, labels)
    program = ml.compile(model, data, labels, output_bits=14, insecure_toy=True)
    scores = program.scores(data)
    wanted = model.predict(data)
    if is_regression:
        limit = 0.1 if "Ridge" in str(model) else 2e-3
        assert np.abs(program.predict(scores) - wanted).max() < limit
        return
    assert (program.predict(scores) == wanted).mean() >= 0.99
    limit = 0.05 if "Logistic" in str(model) else 5e-3
    assert np.abs(program.predict_proba(scores) - model.predict_proba(data)).max() < limit


def test_a_forest_of_sklearn_runs_on_encrypted_rows() -> None:
    forest = models_of_sklearn()[2]
    with pytest.raises(ValueError, match="the RandomForestClassifier is not fitted"):
        ml.compile(forest, rows(5, 3))
    data, labels = pytest.importorskip("sklearn.datasets").load_iris(return_X_y=True)
    program = ml.compile(forest.fit(data, labels), data, labels, insecure_toy=True)
    assert len(program.server.results) == 3 and program.agreement >= 0.98
    check(program, data)
