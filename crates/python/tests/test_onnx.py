"""Trees and linear models in ONNX, compared with ONNX's own evaluator, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cryptable import ml

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
helper = onnx.helper


def rows(count: int) -> np.ndarray[Any, Any]:
    found = np.random.default_rng(3).normal(size=(count, 3)).astype(np.float32)
    # Thresholds themselves: rows on either side of a comparison.
    found[::7, 0] = 0.5
    return found


def model(operator: str, outputs: int, **attributes: Any) -> Any:
    names = ["label", "scores"][-outputs:]
    node = helper.make_node(operator, ["x"], names, domain="ai.onnx.ml", **attributes)
    ends = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 3])]
    after = [helper.make_tensor_value_info(name, onnx.TensorProto.UNDEFINED, None) for name in names]
    graph = helper.make_graph([node], "test", ends, after)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)])


def of_onnx(found: Any, data: Any) -> list[Any]:
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(found).run(None, {"x": data})


def nodes(trees: int, prefix: str, ids: list[int], mode: str = "BRANCH_LEQ", least: float = 0) -> dict[str, Any]:
    """Trees of two splits, whose leaves have a weight for each of `ids`."""
    random = np.random.default_rng(7)
    found: dict[str, list[Any]] = {}

    def put(prefix: str, **parts: Any) -> None:
        for name, part in parts.items():
            found.setdefault(f"{prefix}_{name}", []).append(part)

    for tree in range(trees):
        splits = {0: (1, 2), 1: (3, 4)}
        for node in range(5):
            then, otherwise = splits.get(node, (0, 0))
            put("nodes", treeids=tree, nodeids=node, modes=mode if node in splits else "LEAF")
            put("nodes", truenodeids=then, falsenodeids=otherwise, featureids=(tree + node) % 3)
            put("nodes", values=0.5 if node == 0 else float(np.float32(random.normal())))
            if node not in splits:
                for output in ids:
                    weight = float(np.float32(random.uniform(least / trees, 1 / trees)))
                    put(prefix, treeids=tree, nodeids=node, ids=output, weights=weight)
    return found


@pytest.mark.parametrize("mode", ["BRANCH_LEQ", "BRANCH_LT"])
def test_trees_of_values_are_those_of_onnx(mode: str) -> None:
    found = model("TreeEnsembleRegressor", 1, **nodes(4, "target", [0], mode), n_targets=1, base_values=[0.25])
    program = ml.compile(ml.read_onnx(found), rows(200), output_bits=16, insecure_toy=True)
    (wanted,) = of_onnx(found, rows(200))
    assert program.kind == "regression" and program.agreement < 1e-3
    assert np.abs(program.scores(rows(200)) - wanted[:, 0]).max() < 1e-3


@pytest.mark.parametrize(
    ("classes", "ids", "transform"),
    [
        (3, [0, 1, 2], "NONE"),
        (2, [0, 1], "NONE"),
        (2, [0, 1], "SOFTMAX"),
        (3, [0, 1, 2], "SOFTMAX"),
        (2, [0], "LOGISTIC"),
    ],
)
def test_trees_of_classes_are_those_of_onnx(classes: int, ids: list[int], transform: str) -> None:
    labels = [f"class {k}" for k in range(classes)]
    base = [-0.5] if ids == [0] else []
    others = {"base_values": base} if base else {}
    least = -1 if ids == [0] else 0
    given = nodes(3, "class", ids, least=least) | {"classlabels_strings": labels, "post_transform": transform} | others
    found = model("TreeEnsembleClassifier", 2, **given)
    program = ml.compile(ml.read_onnx(found), rows(200), output_bits=16, insecure_toy=True)
    names, scores = of_onnx(found, rows(200))
    assert program.kind == ("binary" if classes == 2 else "classes")
    assert (program.predict(program.scores(rows(200))) == names).mean() > 0.97
    probabilities = program.predict_proba(program.scores(rows(200)))
    if transform != "NONE":
        assert np.abs(probabilities - scores).max() < 2e-3


def test_forests_have_shares_of_classes() -> None:
    given = nodes(2, "class", [0, 1])
    given["class_weights"] = [
        weight / 2 for weight in (0.25, 0.75, 1.0, 0.0, 0.5, 0.5, 0.125, 0.875, 0.0, 1.0, 0.75, 0.25)
    ]
    found = model("TreeEnsembleClassifier", 2, **given, classlabels_int64s=[4, 7], post_transform="NONE")
    program = ml.compile(ml.read_onnx(found), rows(200), output_bits=16, insecure_toy=True)
    names, scores = of_onnx(found, rows(200))
    assert np.abs(program.predict_proba(program.scores(rows(200))) - scores).max() < 1e-3
    assert set(program.predict(program.scores(rows(200)))) == {4, 7} == set(names)


@pytest.mark.parametrize("classes", [2, 3])
def test_linear_models_are_those_of_onnx(classes: int) -> None:
    weights = [0.5, -1.0, 0.25, 1.0, 0.5, -0.5, -0.25, 2.0, 1.0]
    given = {"coefficients": weights[: 3 * classes], "intercepts": [0.5, -0.5, 0.25][:classes]}
    given["classlabels_ints"] = list(range(classes))
    found = model("LinearClassifier", 2, **given, post_transform="SOFTMAX")
    program = ml.compile(ml.read_onnx(found), rows(300), bins=64, insecure_toy=True)
    names, scores = of_onnx(found, rows(300))
    assert (program.predict(program.scores(rows(300))) == names).mean() > 0.9
    assert np.abs(program.predict_proba(program.scores(rows(300))) - scores).mean() < 0.05

    found = model("LinearRegressor", 1, coefficients=weights[:3], intercepts=[1.5], targets=1)
    program = ml.compile(ml.read_onnx(found, features=["a", "b", "c"]), rows(300), bins=128, insecure_toy=True)
    assert program.server.columns == ["a", "b", "c"]
    assert np.abs(program.scores(rows(300)) - of_onnx(found, rows(300))[0][:, 0]).mean() < 0.1


def test_what_is_not_served_is_refused_by_name() -> None:
    def refused(found: Any, what: str) -> None:
        with pytest.raises(ml.UnsupportedModelError, match=what):
            ml.read_onnx(found)

    refused(model("TreeEnsembleRegressor", 1, **nodes(2, "target", [0, 1]), n_targets=2), "several outputs")
    refused(model("TreeEnsembleRegressor", 1, **nodes(2, "target", [0], "BRANCH_EQ"), n_targets=1), "split BRANCH_EQ")
    given = nodes(2, "target", [0]) | {"n_targets": 1, "aggregate_function": "MIN"}
    refused(model("TreeEnsembleRegressor", 1, **given), "takes the MIN of trees")
    given = nodes(2, "class", [0, 1, 2]) | {"classlabels_ints": [0, 1, 2], "post_transform": "PROBIT"}
    refused(model("TreeEnsembleClassifier", 2, **given), "the transform PROBIT")
    positive = nodes(2, "class", [1]) | {"classlabels_ints": [0, 1], "post_transform": "LOGISTIC"}
    refused(model("TreeEnsembleClassifier", 2, **positive), "of one score with positive weights and LOGISTIC")
    round_in_circles = nodes(1, "target", [0]) | {"n_targets": 1, "nodes_truenodeids": [0] * 5}
    with pytest.raises(ValueError, match="goes round in circles"):
        ml.read_onnx(model("TreeEnsembleRegressor", 1, **round_in_circles))
    found = model("LinearRegressor", 1, coefficients=[1.0, 2.0, 3.0])
    found.graph.node.append(helper.make_node("Scaler", ["scores"], ["y"], domain="ai.onnx.ml"))
    refused(found, "the operator Scaler beside a LinearRegressor")
