"""Reader for ONNX models: trees and linear models of `ai.onnx.ml`, quantised networks of QDQ or QLinear operators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._models import Ensemble, Kind, Leaf, Split, UnsupportedModelError, above
from ._networks import Network
from ._onnx_networks import read_network

LEFT_TO_CLIENTS = ("Softmax", "LogSoftmax", "ArgMax", "ZipMap", "Cast", "Normalizer", "Identity", "Flatten", "Reshape")
"""Operators that may follow a tree or a linear model; clients compute classes and probabilities from scores."""


def read_onnx(model: str | Path | bytes | Any, *, features: Sequence[str] | None = None) -> Ensemble | Network:
    """Reads an ONNX model from a file, its bytes, or a `ModelProto`. Needs the package `onnx`.

    Supported are TreeEnsembleClassifier, TreeEnsembleRegressor, LinearClassifier and LinearRegressor, and quantised
    networks (with QuantizeLinear and DequantizeLinear, or QLinearMatMul, QLinearConv and QGemm) of MatMul, Gemm and
    one-dimensional Conv, with elementwise operators between them. A final Softmax or ArgMax is left to clients.
    `features` names the columns of the input.
    """
    import onnx

    if isinstance(model, str | Path):
        model = onnx.load(str(model))
    elif isinstance(model, bytes):
        model = onnx.load_from_string(model)
    nodes = [node for node in model.graph.node if node.domain == "ai.onnx.ml" and node.op_type in READERS]
    if not nodes:
        return read_network(model, features)
    others = [node.op_type for node in model.graph.node if node not in nodes and node.op_type not in LEFT_TO_CLIENTS]
    if others:
        raise UnsupportedModelError(f"the operator {others[0]} beside a {nodes[0].op_type}")
    if len(nodes) > 1:
        raise UnsupportedModelError(f"a graph of a {nodes[0].op_type} and a {nodes[1].op_type}")
    given = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in nodes[0].attribute}
    return READERS[nodes[0].op_type](given, _names(model, features, given))


def _names(model: Any, features: Sequence[str] | None, given: dict[str, Any]) -> tuple[str, ...]:
    """Returns the names of features: the given ones, or `f0`, `f1` and so on."""
    dimensions = model.graph.input[0].type.tensor_type.shape.dim
    count = int(dimensions[-1].dim_value) if len(dimensions) else 0
    if not count:
        count = (
            len(features)
            if features is not None
            else 1 + max((int(k) for k in given.get("nodes_featureids", ())), default=0)
        )
    if features is not None and len(features) != count:
        raise ValueError(f"{len(features)} names of features; the model has {count}")
    return tuple(features) if features is not None else tuple(f"f{k}" for k in range(count))


def _transform(given: dict[str, Any], allowed: Sequence[str]) -> str:
    found: str = given.get("post_transform", b"NONE").decode()
    if found not in allowed:
        raise UnsupportedModelError(f"the transform {found} of a model in ONNX")
    return found


def _classes(given: dict[str, Any]) -> tuple[Any, ...]:
    strings = given.get("classlabels_strings") or given.get("classlabels_stringlabels") or ()
    numbers = given.get("classlabels_int64s") or given.get("classlabels_ints") or ()
    return tuple(label.decode() for label in strings) or tuple(map(int, numbers))


MODES = {
    "BRANCH_LT": lambda threshold: threshold,
    "BRANCH_LEQ": above,
}
"""Conversion of each mode's threshold to one below which rows take the first branch; comparisons use 32-bit floats."""


class _Trees:
    """The nodes of a tree ensemble."""

    def __init__(self, given: dict[str, Any], prefix: str, outputs: int) -> None:
        for name in ("nodes_values_as_tensor", "nodes_hitrates_as_tensor", "base_values_as_tensor"):
            if name in given:
                raise UnsupportedModelError("a tree ensemble of 64-bit thresholds")
        self.given, self.outputs = given, outputs
        trees, nodes = given["nodes_treeids"], given["nodes_nodeids"]
        self.places = {
            (int(tree), int(node)): place for place, (tree, node) in enumerate(zip(trees, nodes, strict=True))
        }
        self.leaves: dict[tuple[int, int], list[float]] = {}
        parts = (f"{prefix}_treeids", f"{prefix}_nodeids", f"{prefix}_ids", f"{prefix}_weights")
        for tree, node, output, weight in zip(*(given[part] for part in parts), strict=True):
            values = self.leaves.setdefault((int(tree), int(node)), [0.0] * outputs)
            values[int(output)] += float(weight)

    def are_shares(self) -> bool:
        """Whether the values of every leaf have the same sum, so that the scores of each row add up to 1."""
        sums = [sum(values) for values in self.leaves.values()]
        trees = len({tree for tree, _ in self.places})
        return bool(np.allclose(sums, 1.0 / trees, rtol=1e-3))

    def all(self) -> list[Split | Leaf]:
        """Returns the trees, in order."""
        first: dict[int, int] = {}
        for tree, node in self.places:
            first.setdefault(tree, node)
        return [self._node(tree, node, 0) for tree, node in first.items()]

    def _node(self, tree: int, node: int, depth: int) -> Split | Leaf:
        place = self.places.get((tree, node))
        if place is None or depth > 200:
            raise ValueError(f"tree {tree} of the model has no node {node}, or goes round in circles")
        mode = self.given["nodes_modes"][place].decode()
        if mode == "LEAF":
            return Leaf(tuple(self.leaves.get((tree, node), [0.0] * self.outputs)))
        if mode not in MODES:
            raise UnsupportedModelError(f"a split {mode}")
        threshold = MODES[mode](float(np.float32(self.given["nodes_values"][place])))
        sides = (int(self.given[name][place]) for name in ("nodes_truenodeids", "nodes_falsenodeids"))
        then, otherwise = (self._node(tree, side, depth + 1) for side in sides)
        return Split(int(self.given["nodes_featureids"][place]), threshold, then, otherwise)


def _read_tree_classifier(given: dict[str, Any], names: tuple[str, ...]) -> Ensemble:
    transform = _transform(given, ("NONE", "LOGISTIC", "SOFTMAX"))
    classes = _classes(given)
    ids = sorted(set(map(int, given["class_ids"])))
    # If only one of two classes has weights, they belong to the second class.
    single = len(classes) == 2 and len(ids) == 1
    outputs = 1 if single else len(classes)
    if single:
        given = given | {"class_ids": [0] * len(given["class_ids"])}
    found = _Trees(given, "class", outputs)
    trees = found.all()
    base = tuple(map(float, given.get("base_values", ()))) or (0.0,) * outputs
    base = base[-outputs:]
    # ONNX evaluators compare the score of a single class with 1/2 if all of its weights are positive, else with 0.
    positive = single and min(map(float, given["class_weights"])) >= 0
    if single and ids != [0] and any(given.get("base_values", ())):
        raise UnsupportedModelError("a TreeEnsembleClassifier whose base value is not of its one score")
    if positive and transform != "NONE":
        raise UnsupportedModelError(f"a TreeEnsembleClassifier of one score with positive weights and {transform}")
    average = transform == "NONE" and not any(base) and (positive or found.are_shares())
    if len(classes) == 2 and not single:
        if not average:
            trees, base = [_difference(tree) for tree in trees], (base[1] - base[0],)
        else:
            trees, base = [_second(tree) for tree in trees], (base[1],)
    kind: Kind = "binary" if len(classes) == 2 else "classes"
    return Ensemble(kind, names, base, tuple(trees), classes=classes, average=average)


def _difference(tree: Split | Leaf) -> Split | Leaf:
    """Returns the tree of log odds of the second class against the first."""
    if isinstance(tree, Leaf):
        return Leaf((tree.values[1] - tree.values[0],))
    return Split(tree.feature, tree.threshold, _difference(tree.left), _difference(tree.right))


def _second(tree: Split | Leaf) -> Split | Leaf:
    """Returns the tree of the second class."""
    if isinstance(tree, Leaf):
        return Leaf(tree.values[1:])
    return Split(tree.feature, tree.threshold, _second(tree.left), _second(tree.right))


def _read_tree_regressor(given: dict[str, Any], names: tuple[str, ...]) -> Ensemble:
    _transform(given, ("NONE",))
    if int(given.get("n_targets", 1)) != 1:
        raise UnsupportedModelError("a TreeEnsembleRegressor of several outputs")
    how = given.get("aggregate_function", b"SUM").decode()
    if how not in ("SUM", "AVERAGE"):
        raise UnsupportedModelError(f"a TreeEnsembleRegressor that takes the {how} of trees")
    trees = _Trees(given, "target", 1).all()
    if how == "AVERAGE":
        trees = [_divided(tree, len(trees)) for tree in trees]
    base = tuple(map(float, given.get("base_values", ()))) or (0.0,)
    return Ensemble("regression", names, base, tuple(trees))


def _divided(tree: Split | Leaf, count: int) -> Split | Leaf:
    if isinstance(tree, Leaf):
        return Leaf(tuple(value / count for value in tree.values))
    return Split(tree.feature, tree.threshold, _divided(tree.left, count), _divided(tree.right, count))


def _read_linear_classifier(given: dict[str, Any], names: tuple[str, ...]) -> Ensemble:
    _transform(given, ("NONE", "LOGISTIC", "SOFTMAX"))
    classes = _classes(given)
    coefficients = np.array(given["coefficients"], dtype=float).reshape(-1, len(names))
    base = np.array(given.get("intercepts", np.zeros(len(coefficients))), dtype=float)
    if len(classes) == 2 and len(coefficients) == 2:
        coefficients, base = (part[1:] - part[:1] for part in (coefficients, base))
        if given.get("post_transform", b"NONE") == b"LOGISTIC":
            # The two rows are negatives of each other, and each goes through a logistic function of its own.
            coefficients, base = coefficients / 2, base / 2
    kind: Kind = "binary" if len(classes) == 2 else "classes"
    factors = tuple(tuple(map(float, row)) for row in coefficients)
    return Ensemble(kind, names, tuple(map(float, base)), (), factors, classes, single=False)


def _read_linear_regressor(given: dict[str, Any], names: tuple[str, ...]) -> Ensemble:
    _transform(given, ("NONE",))
    if int(given.get("targets", 1)) != 1:
        raise UnsupportedModelError("a LinearRegressor of several outputs")
    factors = (tuple(map(float, given["coefficients"])),)
    base = tuple(map(float, given.get("intercepts", (0.0,))))
    return Ensemble("regression", names, base, (), factors, single=False)


READERS = {
    "TreeEnsembleClassifier": _read_tree_classifier,
    "TreeEnsembleRegressor": _read_tree_regressor,
    "LinearClassifier": _read_linear_classifier,
    "LinearRegressor": _read_linear_regressor,
}
