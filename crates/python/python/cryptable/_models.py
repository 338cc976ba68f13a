"""Readers for models of scikit-learn, XGBoost and LightGBM; `cryptable.ml` compiles the `Ensemble` they return."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from .errors import UnsupportedError

Kind = Literal["regression", "binary", "classes"]

SERVED = (
    "DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, RandomForestRegressor, "
    "ExtraTreesClassifier, ExtraTreesRegressor, GradientBoostingClassifier, GradientBoostingRegressor, "
    "HistGradientBoostingClassifier, HistGradientBoostingRegressor, LinearRegression, Ridge, Lasso, ElasticNet and "
    "LogisticRegression of scikit-learn, its MLPClassifier and MLPRegressor (quantise), trees of XGBoost "
    "(read_xgboost) and LightGBM (read_lightgbm), and trees, linear models and quantised networks in ONNX (read_onnx)"
)
LINEAR = ("LinearRegression", "Ridge", "Lasso", "ElasticNet", "LogisticRegression")


class UnsupportedModelError(UnsupportedError):
    """A model, or a part of one, is not supported; the message lists the supported ones."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not supported; supported are {SERVED}")


@dataclass(frozen=True)
class Leaf:
    """The end of a tree: a value for each output of the model."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class Split:
    """An inner node: rows whose feature is below the threshold go left."""

    feature: int
    threshold: float
    left: Split | Leaf
    right: Split | Leaf


@dataclass(frozen=True)
class Ensemble:
    """A model of any library: a constant per output, plus trees, plus multiples of features."""

    kind: Kind
    features: tuple[str, ...]
    base: tuple[float, ...]
    trees: tuple[Split | Leaf, ...] = ()
    coefficients: tuple[tuple[float, ...], ...] = ()
    """One row per output with a factor per feature; empty for trees."""
    classes: tuple[Any, ...] = ()
    average: bool = False
    """Whether scores are probabilities, as in forests; otherwise they are log odds or values."""
    single: bool = True
    """Whether features are compared as 32-bit floats, as most libraries do."""


def read_model(model: Any) -> Ensemble:
    """Reads a fitted model of scikit-learn."""
    name = type(model).__name__
    if isinstance(model, Ensemble):
        return model
    if hasattr(model, "fit"):
        feature_names(model)
    if name in LINEAR:
        return _read_linear(model)
    if name.startswith("HistGradientBoosting"):
        return _read_histogram_boosting(model)
    if name.startswith("GradientBoosting"):
        return _read_boosting(model)
    if name in ("DecisionTreeClassifier", "DecisionTreeRegressor"):
        return _read_forest(model, [model])
    if name in ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"):
        return _read_forest(model, list(model.estimators_))
    raise UnsupportedModelError(f"a {name}")


def feature_names(model: Any) -> tuple[str, ...]:
    """Returns the names of the features of a fitted model."""
    if not hasattr(model, "n_features_in_"):
        raise ValueError(f"the {type(model).__name__} is not fitted: `fit` comes first")
    given = getattr(model, "feature_names_in_", None)
    count = int(model.n_features_in_)
    return tuple(map(str, given)) if given is not None else tuple(f"f{i}" for i in range(count))


def above(threshold: float) -> float:
    """Returns the least 32-bit float above a threshold: a 32-bit float is below it if it is at most the threshold."""
    rounded = np.float32(threshold)
    return float(rounded if rounded > threshold else np.nextafter(rounded, np.float32(np.inf)))


def _sklearn_tree(tree: Any, values: Callable[[int], tuple[float, ...]]) -> Split | Leaf:
    def node(index: int) -> Split | Leaf:
        left, right = int(tree.children_left[index]), int(tree.children_right[index])
        if left < 0:
            return Leaf(values(index))
        return Split(int(tree.feature[index]), above(float(tree.threshold[index])), node(left), node(right))

    return node(0)


def _read_forest(model: Any, estimators: Sequence[Any]) -> Ensemble:
    if int(model.n_outputs_) != 1:
        raise UnsupportedModelError(f"a {type(model).__name__} of several outputs")
    classes = tuple(getattr(model, "classes_", ()))
    if len(classes) == 1:
        raise UnsupportedModelError("a classifier of a single class")
    count = len(estimators)

    def tree(estimator: Any) -> Split | Leaf:
        def values(index: int) -> tuple[float, ...]:
            found = np.asarray(estimator.tree_.value[index, 0], dtype=float)
            if not classes:
                return (float(found[0]) / count,)
            shares = found / found.sum() / count
            return tuple(map(float, shares[1:] if len(classes) == 2 else shares))

        return _sklearn_tree(estimator.tree_, values)

    kind: Kind = "regression" if not classes else "binary" if len(classes) == 2 else "classes"
    outputs = len(classes) if len(classes) > 2 else 1
    trees = tuple(map(tree, estimators))
    return Ensemble(kind, feature_names(model), (0.0,) * outputs, trees, classes=classes, average=bool(classes))


def _boosted(model: Any, trees: list[list[Split | Leaf]], base: Sequence[float], single: bool) -> Ensemble:
    """Returns the ensemble of boosted trees listed by round and output, whose leaves each have one value."""
    classes = tuple(getattr(model, "classes_", ()))
    outputs = len(base)
    placed = [_placed(tree, output, outputs) for of_round in trees for output, tree in enumerate(of_round)]
    kind: Kind = "regression" if not classes else "binary" if len(classes) == 2 else "classes"
    return Ensemble(kind, feature_names(model), tuple(map(float, base)), tuple(placed), classes=classes, single=single)


def _placed(tree: Split | Leaf, output: int, outputs: int) -> Split | Leaf:
    """Returns a tree for all outputs that adds the values of the given tree to one of them."""
    if isinstance(tree, Leaf):
        return Leaf(tuple(tree.values[0] if index == output else 0.0 for index in range(outputs)))
    left, right = _placed(tree.left, output, outputs), _placed(tree.right, output, outputs)
    return Split(tree.feature, tree.threshold, left, right)


def _read_boosting(model: Any) -> Ensemble:
    if type(model.init_).__name__ not in ("DummyClassifier", "DummyRegressor", "str", "_ZeroEstimator"):
        raise UnsupportedModelError(f"a {type(model).__name__} that begins with a {type(model.init_).__name__}")
    rate = float(model.learning_rate)

    def tree(estimator: Any) -> Split | Leaf:
        return _sklearn_tree(estimator.tree_, lambda index: (rate * float(estimator.tree_.value[index, 0, 0]),))

    trees = [[tree(estimator) for estimator in of_round] for of_round in model.estimators_]
    probe = np.zeros((1, int(model.n_features_in_)), dtype=np.float32)
    raw = model._raw_predict(probe) if hasattr(model, "_raw_predict") else model.predict(probe)
    found = np.ravel(np.asarray(raw, dtype=float))
    of_trees = np.zeros(len(found))
    for of_round in trees:
        of_trees += [leaf(tree, probe[0])[0] for tree in of_round]
    return _boosted(model, trees, list(found - of_trees), single=True)


def _read_histogram_boosting(model: Any) -> Ensemble:
    def tree(predictor: Any) -> Split | Leaf:
        nodes = predictor.nodes

        def node(index: int) -> Split | Leaf:
            found = nodes[index]
            if found["is_leaf"]:
                return Leaf((float(found["value"]),))
            if found["is_categorical"]:
                raise UnsupportedModelError("a split of categories")
            threshold = float(np.nextafter(found["num_threshold"], np.inf))
            return Split(int(found["feature_idx"]), threshold, node(int(found["left"])), node(int(found["right"])))

        return node(0)

    trees = [[tree(predictor) for predictor in of_round] for of_round in model._predictors]
    return _boosted(model, trees, list(np.ravel(model._baseline_prediction)), single=False)


def _read_linear(model: Any) -> Ensemble:
    coefficients = np.atleast_2d(np.asarray(model.coef_, dtype=float))
    base = np.broadcast_to(np.ravel(np.asarray(model.intercept_, dtype=float)), (len(coefficients),))
    classes = tuple(getattr(model, "classes_", ()))
    if not classes and len(coefficients) > 1:
        raise UnsupportedModelError(f"a {type(model).__name__} of several outputs")
    kind: Kind = "regression" if not classes else "binary" if len(classes) == 2 else "classes"
    factors = tuple(tuple(map(float, row)) for row in coefficients)
    return Ensemble(kind, feature_names(model), tuple(map(float, base)), (), factors, classes, single=False)


def _parsed(model: str | Path) -> Any:
    """Parses JSON from text or from a file."""
    is_text = isinstance(model, str) and model.lstrip().startswith(("{", "["))
    return json.loads(str(model) if is_text else Path(model).read_text())


def read_xgboost(
    model: str | Path | dict[str, Any] | Sequence[Any],
    *,
    features: int | Sequence[str] | None = None,
    base_score: float = 0.0,
    classes: int = 0,
) -> Ensemble:
    """Reads trees of XGBoost: the file of `save_model("model.json")`, or the list of `get_dump(dump_format="json")`.

    A dump contains only trees, so it needs the other arguments: `features` is the number of features or their names,
    `base_score` is added to scores, and `classes` is 0 for values, 2 for the log odds of a class, or the number of
    classes.
    """
    read = _parsed(model) if isinstance(model, str | Path) else model
    if isinstance(read, dict):
        return _read_xgboost_file(read)
    if features is None:
        raise TypeError("a dump of XGBoost needs `features`: their number or names")
    names = tuple(f"f{i}" for i in range(features)) if isinstance(features, int) else tuple(features)
    numbers = {name: index for index, name in enumerate(names)}
    outputs = classes if classes > 2 else 1

    def node(found: dict[str, Any]) -> Split | Leaf:
        if "leaf" in found:
            return Leaf((float(np.float32(found["leaf"])),))
        if not isinstance(found.get("split_condition"), int | float):
            raise UnsupportedModelError("a split of categories")
        name = str(found["split"])
        if name not in numbers:
            raise ValueError(f'the trees have a feature "{name}"; `features` are {", ".join(names)}')
        below = {child["nodeid"]: child for child in found["children"]}
        threshold = float(np.float32(found["split_condition"]))
        return Split(numbers[name], threshold, node(below[found["yes"]]), node(below[found["no"]]))

    trees = [node(json.loads(tree) if isinstance(tree, str) else tree) for tree in read]
    placed = tuple(_placed(tree, index % outputs, outputs) for index, tree in enumerate(trees))
    kind: Kind = "regression" if classes == 0 else "binary" if classes == 2 else "classes"
    return Ensemble(kind, names, (base_score,) * outputs, placed, classes=tuple(range(classes)))


def _read_xgboost_file(model: dict[str, Any]) -> Ensemble:
    learner = model["learner"]
    booster = learner["gradient_booster"]
    if booster["name"] != "gbtree":
        raise UnsupportedModelError(f'the booster "{booster["name"]}"')
    parameters, objective = learner["learner_model_param"], learner["objective"]["name"]
    classes = int(parameters["num_class"])
    base = [float(part) for part in str(parameters["base_score"]).strip("[]").split(",")]
    if objective == "binary:logistic":
        kind: Kind = "binary"
        base = [float(np.log(part / (1 - part))) for part in base]
    elif objective in ("multi:softprob", "multi:softmax"):
        kind = "classes"
    elif objective in ("reg:squarederror", "binary:logitraw", "reg:absoluteerror", "reg:pseudohubererror"):
        kind = "binary" if objective == "binary:logitraw" else "regression"
    else:
        raise UnsupportedModelError(f'the objective "{objective}"')
    outputs = max(classes, 1)
    count = int(parameters["num_feature"])
    names = tuple(learner.get("feature_names") or (f"f{i}" for i in range(count)))
    trees = []
    for found, output in zip(booster["model"]["trees"], booster["model"]["tree_info"], strict=True):
        trees.append(_placed(_xgboost_tree(found), int(output), outputs))
    labels = tuple(range(classes if classes > 2 else 2)) if kind != "regression" else ()
    bases = tuple(base) if len(base) == outputs else (base[0],) * outputs
    return Ensemble(kind, names, bases, tuple(trees), classes=labels)


def _xgboost_tree(found: dict[str, Any]) -> Split | Leaf:
    if any(found.get("split_type", ())):
        raise UnsupportedModelError("a split of categories")

    def node(index: int) -> Split | Leaf:
        left, right = int(found["left_children"][index]), int(found["right_children"][index])
        condition = float(np.float32(found["split_conditions"][index]))
        if left < 0:
            return Leaf((condition,))
        return Split(int(found["split_indices"][index]), condition, node(left), node(right))

    return node(0)


def read_lightgbm(model: str | Path | dict[str, Any]) -> Ensemble:
    """Reads trees of LightGBM: the result of `Booster.dump_model()`, or a file or text with it as JSON."""
    if isinstance(model, str | Path):
        model = _parsed(model)
    if not isinstance(model, dict):
        raise TypeError("a dump of LightGBM must be a dictionary, or a JSON file of one")
    objective = str(model.get("objective", "regression")).split()[0]
    outputs = int(model["num_tree_per_iteration"])
    if objective == "binary":
        kind: Kind = "binary"
    elif objective in ("multiclass", "softmax"):
        kind = "classes"
    elif objective in ("regression", "regression_l1", "huber", "fair", "quantile", "mape"):
        kind = "regression"
    else:
        raise UnsupportedModelError(f'the objective "{objective}"')

    def node(found: dict[str, Any]) -> Split | Leaf:
        if "split_feature" not in found:
            return Leaf((float(found["leaf_value"]),))
        if found["decision_type"] != "<=":
            raise UnsupportedModelError("a split of categories")
        threshold = float(np.nextafter(float(found["threshold"]), np.inf))
        return Split(int(found["split_feature"]), threshold, node(found["left_child"]), node(found["right_child"]))

    trees = [node(tree["tree_structure"]) for tree in model["tree_info"]]
    scale = 1.0 / (len(trees) // outputs) if model.get("average_output") else 1.0
    placed = tuple(_scaled(_placed(tree, index % outputs, outputs), scale) for index, tree in enumerate(trees))
    labels = () if kind == "regression" else tuple(range(max(outputs, 2)))
    names = tuple(map(str, model["feature_names"]))
    return Ensemble(kind, names, (0.0,) * outputs, placed, classes=labels, single=False)


def _scaled(tree: Split | Leaf, factor: float) -> Split | Leaf:
    if isinstance(tree, Leaf):
        return Leaf(tuple(factor * value for value in tree.values))
    return Split(tree.feature, tree.threshold, _scaled(tree.left, factor), _scaled(tree.right, factor))


def splits(tree: Split | Leaf) -> list[Split]:
    """Returns all inner nodes of a tree."""
    return [tree, *splits(tree.left), *splits(tree.right)] if isinstance(tree, Split) else []


def leaf(tree: Split | Leaf, row: npt.NDArray[Any]) -> tuple[float, ...]:
    """Returns the values of the leaf that a row reaches."""
    while isinstance(tree, Split):
        tree = tree.left if row[tree.feature] < tree.threshold else tree.right
    return tree.values


class Decides(Protocol):
    """A model, or the client's side of one, with scores of a known kind."""

    @property
    def kind(self) -> Kind:
        """The meaning of scores."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """Classes, in the order of scores."""

    @property
    def has_probabilities(self) -> bool:
        """Whether scores are probabilities, and not log odds."""


def predicted(of: Decides, scores: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Returns the values or classes that scores predict."""
    if of.kind == "regression":
        return scores
    labels = np.asarray(of.classes)
    if of.kind == "binary":
        return np.asarray(labels[(scores > (0.5 if of.has_probabilities else 0.0)).astype(int)])
    return np.asarray(labels[scores.argmax(axis=1)])


def score(ensemble: Ensemble, row: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Computes the scores of a row as the model itself does."""
    total = np.asarray(ensemble.base, dtype=float)
    for tree in ensemble.trees:
        total = total + np.asarray(leaf(tree, row))
    for output, factors in enumerate(ensemble.coefficients):
        total[output] += float(np.dot(factors, row))
    return total
