"""Trained models on encrypted data: trees, forests, boosting and linear models, tens of thousands of rows at once.

    >>> import numpy as np
    >>> from cryptable import SecretKey, ml
    >>> tree = {"split": "f1", "split_condition": 2.5, "yes": 1, "no": 2, "children": [
    ...     {"nodeid": 1, "leaf": -1.0},
    ...     {"nodeid": 2, "split": "f0", "split_condition": 0.5, "yes": 3, "no": 4, "children": [
    ...         {"nodeid": 3, "leaf": 0.25}, {"nodeid": 4, "leaf": 1.5}]}]}
    >>> data = np.array([[0.0, 2.0], [0.0, 3.0], [1.0, 3.0]])
    >>> program = ml.compile(ml.read_xgboost([tree], features=2), data, insecure_toy=True)
    >>> secret = SecretKey.generate(program.plan)                              # the client
    >>> frame = program.encrypt(secret, data)
    >>> server = secret.evaluation_key(progress=False)                         # what the server gets
    >>> results = program.run(server, frame, progress=False)                   # the server
    >>> program.decrypt(secret, results).round(2).tolist()                     # the client again: scores
    [-1.0, 0.25, 1.5]

`compile` takes models of scikit-learn as they are, and those of XGBoost and LightGBM by what they write
(`read_xgboost`, `read_lightgbm`), neither of which has to be installed. It turns features into bins and leaves into
integers. Everything after that is exact: decrypted scores are those of the program in the clear (`Program.scores`) on
every row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._models import (
    Ensemble,
    Kind,
    Leaf,
    Split,
    UnsupportedModelError,
    read_lightgbm,
    read_model,
    read_xgboost,
    score,
    splits,
)
from ._native import EvaluationKey, SecretKey, programs
from ._native.frames import Frame
from .progress import Progress

ProgramPlan = programs.ProgramPlan
ServerProgram = programs.ServerProgram

__all__ = [
    "Ensemble",
    "Leaf",
    "Program",
    "ProgramPlan",
    "ServerProgram",
    "Split",
    "UnsupportedModelError",
    "compile",
    "read_lightgbm",
    "read_model",
    "read_xgboost",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Program:
    """A compiled model: bins for the client, formulas for the server. Prints what it costs and how exact it is."""

    ensemble: Ensemble = field(repr=False)
    server: ServerProgram
    """The formulas that the server runs, for `Program.to_json` and pipelines."""
    plan: ProgramPlan
    """Parameters for `SecretKey.generate`, with the time and memory of a run."""
    edges: tuple[Floats, ...] = field(repr=False)
    """Ends of the bins of each feature: a value is in bin k if k of them are not above it."""
    scale: float
    """Scores are integers divided by this, plus `offsets`."""
    offsets: tuple[float, ...]
    agreement: float
    """Share of the rows that `compile` saw with the same prediction as the model's, or largest difference of values."""
    accuracy: tuple[float, float] | None
    """Accuracy (R² of values) of the model and of the program, where labels were given."""
    _literal: dict[str, Any] = field(repr=False)

    @property
    def kind(self) -> Kind:
        """The meaning of scores: values, the score of the second class, or one for each class."""
        return self.ensemble.kind

    def to_json(self) -> str:
        """Writes what the server runs: a step `program` of a pipeline for `cryptable run`."""
        return json.dumps(self._literal)

    def encode(self, data: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        """Bins of all features: what is encrypted."""
        values = _as_features(data, self.ensemble)
        bins = np.empty(values.shape, dtype=np.uint64)
        for index, edges in enumerate(self.edges):
            bins[:, index] = np.searchsorted(edges, values[:, index], side="right")
        return bins

    def encrypt(self, secret: SecretKey, data: npt.ArrayLike) -> Frame:
        """Encrypts the features that the model reads."""
        bins = self.encode(data)
        used = self._used()
        columns = [(self.server.columns[k], secret.encrypt(bins[:, feature])) for k, feature in enumerate(used)]
        return programs.join_columns(columns)

    def run(self, server: EvaluationKey, frame: Frame, *, threads: int = 0, progress: Progress = True) -> Frame:
        """Runs the program on an encrypted frame: a column of integer scores per output."""
        return programs.run_program(server, frame, self.server, threads, progress)

    def decrypt(self, secret: SecretKey, results: Frame) -> Floats:
        """Decrypts scores: of each row one, or one per class."""
        names = self.server.results
        integers = [secret.decrypt(programs.column_of(results, name)) for name in names]
        return self._as_scores(np.stack([np.asarray(column, dtype=np.int64) for column in integers], axis=1))

    def scores(self, data: npt.ArrayLike) -> Floats:
        """The scores in the clear: those that `decrypt` gives, exactly."""
        return self._as_scores(self._integers(self.encode(data)))

    def predict(self, scores: npt.ArrayLike) -> npt.NDArray[Any]:
        """Values, or classes, of scores."""
        return _predicted(self.ensemble, np.asarray(scores, dtype=float))

    def predict_proba(self, scores: npt.ArrayLike) -> Floats:
        """Probabilities of all classes, of scores."""
        if self.kind == "regression":
            raise TypeError("values have no probabilities")
        found = np.asarray(scores, dtype=float)
        if self.ensemble.average:
            shares = np.stack([1 - found, found], axis=1) if self.kind == "binary" else found
            return np.asarray(np.clip(shares, 0.0, 1.0))
        logits = np.stack([np.zeros_like(found), found], axis=1) if self.kind == "binary" else found
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def _used(self) -> list[int]:
        names = list(self.ensemble.features)
        return [names.index(name) for name in self.server.columns]

    def _integers(self, bins: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        columns = [bins[:, feature] for feature in self._used()]
        rows = len(bins)
        return np.stack([_evaluated(formula, columns, rows) for formula in self._literal["formulas"]], axis=1)

    def _as_scores(self, integers: npt.NDArray[np.int64]) -> Floats:
        found = integers / self.scale + np.asarray(self.offsets)
        return np.asarray(found[:, 0] if found.shape[1] == 1 else found)

    def __str__(self) -> str:
        trees = len(self.ensemble.trees)
        what = f"{trees} trees" if trees else "linear model"
        lines = [
            f"{what}, {len(self.server.columns)} of {len(self.ensemble.features)} features in at most "
            f"{max(len(edges) for edges in self.edges) + 1} bins, {self.server.tables} tables",
            str(self.plan),
        ]
        same = "largest difference of values" if self.kind == "regression" else "same predictions as the model's"
        lines.append(f"  {same}: {self.agreement:.4g}")
        if self.accuracy is not None:
            name = "R²" if self.kind == "regression" else "accuracy"
            lines.append(f"  {name}: {self.accuracy[0]:.4f} of the model, {self.accuracy[1]:.4f} of the program")
        return "\n".join(lines)


def compile(
    model: Any,
    data: npt.ArrayLike,
    labels: npt.ArrayLike | None = None,
    *,
    bins: int | Literal["model"] = "model",
    output_bits: int = 11,
    values: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> Program:
    """Compiles a fitted model of scikit-learn, or what `read_xgboost` and `read_lightgbm` give, to a program.

    `data` are rows such as those that will be encrypted, with as many features as the model has. `bins="model"` takes
    the thresholds of the model as ends of bins, so that no comparison changes; **clients then learn the thresholds**.
    A number of bins, up to 256, takes quantiles of the data, which tell nothing of the model; thresholds move to the
    nearest end of a bin. Scores have `output_bits` bits in all. `labels` are for the accuracy beside the model's.
    Further arguments are those of `cryptable.plan`.
    """
    ensemble = read_model(model)
    rows = _as_features(data, ensemble)
    edges = _edges(ensemble, rows, bins)
    modulus = max(4, 1 << int(max(len(of_feature) for of_feature in edges)).bit_length())
    builder = _Builder(ensemble, edges, rows, modulus, output_bits)
    literal = builder.literal()
    server = ServerProgram.from_json(json.dumps(literal))
    plan = programs.plan_program(
        server, values=values, memory=memory, log2_fail=log2_fail, threads=threads, insecure_toy=insecure_toy
    )
    offsets = tuple(builder.offsets)
    program = Program(ensemble, server, plan, tuple(edges), builder.scale, offsets, 0.0, None, literal)
    agreement, accuracy = _compared(program, rows, labels)
    return Program(ensemble, server, plan, tuple(edges), builder.scale, offsets, agreement, accuracy, literal)


def _as_features(data: npt.ArrayLike, ensemble: Ensemble) -> Floats:
    """Rows of features as the model compares them, without missing values."""
    columns = getattr(data, "columns", None)
    if columns is not None and set(ensemble.features) <= set(map(str, columns)):
        data = data[list(ensemble.features)]  # type: ignore[call-overload, index]
    values = np.asarray(data, dtype=float)
    if values.ndim != 2 or values.shape[1] != len(ensemble.features):
        raise ValueError(f"data have the shape {values.shape}; the model has {len(ensemble.features)} features")
    missing = np.argwhere(~np.isfinite(values))
    if len(missing):
        row, column = missing[0]
        name = ensemble.features[column]
        raise ValueError(f'column "{name}", row {row + 1}: {values[row, column]} is not a number that can be compared')
    return values.astype(np.float32).astype(float) if ensemble.single else values


def _edges(ensemble: Ensemble, rows: Floats, bins: int | str) -> list[Floats]:
    """Ends of bins of every feature."""
    thresholds: list[set[float]] = [set() for _ in ensemble.features]
    for tree in ensemble.trees:
        for split in splits(tree):
            thresholds[split.feature].add(split.threshold)
    if bins == "model" and ensemble.trees:
        for name, of_feature in zip(ensemble.features, thresholds, strict=True):
            if len(of_feature) > 255:
                found = f'feature "{name}" has {len(of_feature)} thresholds'
                raise ValueError(f"{found}, of 255 at most: bins=256 takes quantiles")
        return [np.array(sorted(of_feature)) for of_feature in thresholds]
    count = 256 if bins == "model" else int(bins)
    if not 2 <= count <= 256:
        raise ValueError(f"bins={bins}; a feature has 2 to 256")
    return [_quantiles(rows[:, feature], count) for feature in range(len(ensemble.features))]


def _quantiles(values: Floats, count: int) -> Floats:
    """Ends of at most `count` bins, each between two values that there are."""
    distinct = np.unique(values)
    if len(distinct) > count:
        quantiles = np.quantile(values, np.arange(1, count) / count, method="inverted_cdf")
        uppers = np.unique(np.searchsorted(distinct, quantiles, side="right"))
        uppers = uppers[uppers < len(distinct)]
    else:
        uppers = np.arange(1, len(distinct))
    return np.asarray((distinct[uppers - 1] + distinct[uppers]) / 2)


class _Builder:
    """Makes formulas of an ensemble."""

    def __init__(self, ensemble: Ensemble, edges: list[Floats], rows: Floats, modulus: int, output_bits: int) -> None:
        self.ensemble, self.edges, self.rows, self.modulus = ensemble, edges, rows, modulus
        self.output_modulus = 1 << output_bits
        self.outputs = len(ensemble.base)
        self.sorted = [np.sort(rows[:, feature]) for feature in range(rows.shape[1])]
        ranges = [self._terms(output) for output in range(self.outputs)]
        spans = [sum(high - low for low, high in terms) for terms in ranges]
        if max(spans) == 0:
            raise ValueError("the model gives the same result for all rows")
        # Each term may be rounded up.
        steps = self.output_modulus - 1 - max(map(len, ranges))
        if steps < 1:
            raise ValueError(f"output_bits={output_bits} are too few for {max(map(len, ranges))} terms")
        self.scale = float(steps / max(spans))
        self.offsets = [base + sum(low for low, _ in terms) for base, terms in zip(ensemble.base, ranges, strict=True)]

    def literal(self) -> dict[str, Any]:
        """The program as its file has it."""
        used = sorted({split.feature for tree in self.ensemble.trees for split in splits(tree)} | set(self._factors()))
        self.columns = {feature: column for column, feature in enumerate(used)}
        formulas = [{"sum": self._formulas(output)} for output in range(self.outputs)]
        names = ["score"] if self.outputs == 1 else [f"score of {label}" for label in self.ensemble.classes]
        return {
            "columns": [self.ensemble.features[feature] for feature in used],
            "modulus": self.modulus,
            "results": names,
            "output_modulus": self.output_modulus,
            "formulas": formulas,
        }

    def _factors(self) -> list[int]:
        of_features = zip(*self.ensemble.coefficients, strict=True)
        return [feature for feature, factors in enumerate(of_features) if any(factors) and len(self.edges[feature])]

    def _terms(self, output: int) -> list[tuple[float, float]]:
        """The least and the largest value of every tree and feature."""
        found = [_range(tree, output) for tree in self.ensemble.trees]
        for feature in self._factors():
            values = self.ensemble.coefficients[output][feature] * self._centres(feature)
            found.append((float(values.min()), float(values.max())))
        return found

    def _formulas(self, output: int) -> list[dict[str, Any]]:
        formulas = []
        for tree in self.ensemble.trees:
            low, high = _range(tree, output)
            if high > low:
                formulas.append(self._tree(tree, output, low))
        for feature in self._factors():
            values = self.ensemble.coefficients[output][feature] * self._centres(feature)
            integers = np.rint((values - values.min()) * self.scale).astype(int)
            outputs = np.concatenate([integers, np.repeat(integers[-1:], self.modulus - len(integers))])
            formulas.append({"table": {"column": self.columns[feature], "outputs": outputs.tolist()}})
        return formulas

    def _centres(self, feature: int) -> Floats:
        """The mean of the values in each bin."""
        edges, values = self.edges[feature], self.sorted[feature]
        ends = np.concatenate([[0], np.searchsorted(values, edges, side="left"), [len(values)]])
        centres = np.empty(len(edges) + 1)
        for index in range(len(centres)):
            inside = values[ends[index] : ends[index + 1]]
            around = edges[max(index - 1, 0) : index + 1]
            centres[index] = inside.mean() if len(inside) else around.mean()
        return centres

    def _tree(self, tree: Split | Leaf, output: int, low: float) -> dict[str, Any]:
        if isinstance(tree, Leaf):
            return {"constant": round((tree.values[output] - low) * self.scale)}
        left, right = self._tree(tree.left, output, low), self._tree(tree.right, output, low)
        below = self._bins_below(tree)
        if left == right or below > len(self.edges[tree.feature]):
            return left
        if below == 0:
            return right
        column = self.columns[tree.feature]
        return {"choice": {"column": column, "within": [[0, below]], "then": left, "otherwise": right}}

    def _bins_below(self, split: Split) -> int:
        """How many bins are below the threshold, which is moved to the end of a bin with the fewest values between."""
        edges, values = self.edges[split.feature], self.sorted[split.feature]
        above = int(np.searchsorted(edges, split.threshold, side="left"))
        ends = [-np.inf, *edges, np.inf]
        rank = np.searchsorted(values, split.threshold, side="left")
        lower, upper = (np.searchsorted(values, ends[k], side="left") for k in (above, above + 1))
        is_exact = above < len(edges) and edges[above] == split.threshold
        return above + 1 if is_exact or upper - rank < rank - lower else above


def _range(tree: Split | Leaf, output: int) -> tuple[float, float]:
    if isinstance(tree, Leaf):
        return tree.values[output], tree.values[output]
    left, right = _range(tree.left, output), _range(tree.right, output)
    return min(left[0], right[0]), max(left[1], right[1])


def _evaluated(formula: dict[str, Any], columns: Sequence[npt.NDArray[np.uint64]], rows: int) -> npt.NDArray[np.int64]:
    """A formula in the clear."""
    ((kind, it),) = formula.items()
    if kind == "constant":
        return np.full(rows, it, dtype=np.int64)
    if kind == "table":
        return np.asarray(np.asarray(it["outputs"], dtype=np.int64)[columns[it["column"]]])
    if kind == "sum":
        total = np.zeros(rows, dtype=np.int64)
        for term in it:
            total += _evaluated(term, columns, rows)
        return total
    values = columns[it["column"]]
    holds = np.zeros(rows, dtype=bool)
    for first, end in it["within"]:
        holds |= (values >= first) & (values < end)
    then, otherwise = (_evaluated(it[side], columns, rows) for side in ("then", "otherwise"))
    return np.where(holds, then, otherwise)


def _predicted(ensemble: Ensemble, scores: Floats) -> npt.NDArray[Any]:
    if ensemble.kind == "regression":
        return scores
    labels = np.asarray(ensemble.classes)
    if ensemble.kind == "binary":
        return np.asarray(labels[(scores > (0.5 if ensemble.average else 0.0)).astype(int)])
    return np.asarray(labels[scores.argmax(axis=1)])


def _compared(program: Program, rows: Floats, labels: npt.ArrayLike | None) -> tuple[float, tuple[float, float] | None]:
    """Agreement of program and model on rows, and the accuracy of both."""
    ensemble = program.ensemble
    exact = np.asarray([score(ensemble, row) for row in rows])
    of_model = _predicted(ensemble, exact[:, 0] if exact.shape[1] == 1 else exact)
    of_program = program.predict(program.scores(rows))
    if ensemble.kind == "regression":
        agreement = float(np.abs(of_model - of_program).max())
    else:
        agreement = float((of_model == of_program).mean())
    if labels is None:
        return agreement, None
    wanted = np.asarray(labels)
    if ensemble.kind == "regression":
        total = float(((wanted - wanted.mean()) ** 2).sum())
        first, second = (1 - float(((wanted - found) ** 2).sum()) / total for found in (of_model, of_program))
    else:
        first, second = (float((wanted == found).mean()) for found in (of_model, of_program))
    return agreement, (first, second)
