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

`compile` accepts fitted scikit-learn models, and the model files of XGBoost and LightGBM (`read_xgboost`,
`read_lightgbm`), neither of which has to be installed. It turns features into bins and leaves into integers. Everything
after that is exact: decrypted scores are those of the program in the clear (`Program.scores`) on every row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from . import _ensembles, _networks
from ._models import (
    Decides,
    Ensemble,
    Kind,
    Leaf,
    Split,
    UnsupportedModelError,
    predicted,
    read_lightgbm,
    read_model,
    read_xgboost,
)
from ._native import EvaluationKey, SecretKey, programs
from ._native.frames import Frame, Schema
from ._networks import Floats, Network
from ._onnx import read_onnx
from ._quantisation import PERCEPTRONS, SUM_BITS, in_turn, quantise
from .errors import PlanError, UnsupportedError
from .progress import Progress

ProgramPlan = programs.ProgramPlan
ServerProgram = programs.ServerProgram

__all__ = [
    "Coding",
    "Ensemble",
    "Leaf",
    "Network",
    "Program",
    "ProgramPlan",
    "ServerProgram",
    "Split",
    "UnsupportedModelError",
    "compile",
    "quantise",
    "read_lightgbm",
    "read_model",
    "read_onnx",
    "read_xgboost",
]


class Coding(Decides, Protocol):
    """The client's side of a model: turns features into integers, and decrypted results into scores."""

    def encode(self, data: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        """Integers to encrypt: a column for each feature that the model depends on."""

    def scores(self, results: npt.NDArray[np.int64]) -> Floats:
        """Returns the scores of decrypted results."""

    def model_scores(self, data: npt.ArrayLike) -> Floats:
        """Returns the scores of the model before it was compiled."""

    def describe(self) -> str:
        """Describes the model."""


@dataclass(frozen=True)
class Program:
    """A compiled model: a coding for the client, formulas for the server. Prints its cost and accuracy."""

    coding: Coding = field(repr=False)
    server: ServerProgram
    """The formulas that the server runs, for `Program.to_json` and pipelines."""
    plan: ProgramPlan
    """Parameters for `SecretKey.generate`, with the time and memory of a run."""
    agreement: float
    """Share of the rows given to `compile` for which program and model agree; for values, their largest difference."""
    accuracy: tuple[float, float] | None
    """Accuracy (R² for values) of the model and of the program, if labels were given."""
    exact: float | None
    """Share of those rows whose scores equal those of the package `onnx`, for quantised ONNX networks; else `None`."""
    quantised_for: str | None
    """Reason why the network was quantised to fewer bits than it has; `None` if it was not."""
    _literal: dict[str, Any] = field(repr=False)

    @property
    def kind(self) -> Kind:
        """The meaning of scores: values, the score of the second class, or one for each class."""
        return self.coding.kind

    def to_json(self) -> str:
        """Returns the server's program as JSON: a step `program` of a pipeline for `cryptable run`."""
        return json.dumps(self._literal)

    def schema(self) -> Schema:
        """Returns the schema for clients that encrypt rows without the model: bins of features, but no leaves.

        Raises `UnsupportedError` for networks, which round features themselves.
        """
        return Schema.from_json(json.dumps({"columns": self._trees("schema").schema()}))

    def result_schema(self) -> Schema:
        """Returns the schema that decodes decrypted results as scores, for the same models as `schema`."""
        coding = self._trees("result_schema")
        return Schema.from_json(
            json.dumps({"columns": coding.result_schema(self.server.results, self._literal["output_modulus"])})
        )

    def _trees(self, call: str) -> _ensembles.Coding:
        if isinstance(self.coding, _ensembles.Coding):
            return self.coding
        raise UnsupportedError(
            f"networks have no `{call}`, since they round features themselves: use `Program.encrypt`"
        )

    def encode(self, data: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        """Integers to encrypt: a column for each feature that the model depends on."""
        return self.coding.encode(data)

    def encrypt(self, secret: SecretKey, data: npt.ArrayLike) -> Frame:
        """Encrypts the features that the model depends on."""
        integers = self.encode(data)
        columns = [(name, secret.encrypt(integers[:, k])) for k, name in enumerate(self.server.columns)]
        return programs.join_columns(columns)

    def run(self, server: EvaluationKey, frame: Frame, *, threads: int = 0, progress: Progress = True) -> Frame:
        """Runs the program on an encrypted frame; the result has one column of integers per output."""
        return programs.run_program(server, frame, self.server, threads, progress)

    def decrypt(self, secret: SecretKey, results: Frame) -> Floats:
        """Decrypts scores: one per row, or one per row and class."""
        names = self.server.results
        integers = [secret.decrypt(programs.column_of(results, name)) for name in names]
        return self.coding.scores(np.stack([np.asarray(column, dtype=np.int64) for column in integers], axis=1))

    def scores(self, data: npt.ArrayLike) -> Floats:
        """Computes the scores in the clear: exactly those that `decrypt` returns."""
        return self.coding.scores(_results(self._literal, self.encode(data)))

    def predict(self, scores: npt.ArrayLike) -> npt.NDArray[Any]:
        """Returns the values or classes that scores predict."""
        return predicted(self.coding, np.asarray(scores, dtype=float))

    def predict_proba(self, scores: npt.ArrayLike) -> Floats:
        """Returns the probabilities of all classes, computed from scores."""
        if self.kind == "regression":
            raise TypeError("values have no probabilities")
        found = np.asarray(scores, dtype=float)
        if self.coding.has_probabilities:
            shares = np.stack([1 - found, found], axis=1) if self.kind == "binary" else found
            return np.asarray(np.clip(shares, 0.0, 1.0))
        logits = np.stack([np.zeros_like(found), found], axis=1) if self.kind == "binary" else found
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def __str__(self) -> str:
        lines = [f"{self.coding.describe()}, {self.server.tables} tables", str(self.plan)]
        if self.quantised_for is not None:
            lines.append(f"  quantised to fewer bits: {self.quantised_for}")
        same = "largest difference of values" if self.kind == "regression" else "same predictions as the model's"
        lines.append(f"  {same}: {self.agreement:.4g}")
        if self.exact is not None:
            lines.append(f"  rows with exactly the scores of the quantised model: {self.exact:.4g}")
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
    inputs: Literal["data", "all"] = "data",
    sum_bits: int | None = SUM_BITS,
    values: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> Program:
    """Compiles a fitted model of scikit-learn, or one read by `read_onnx`, `read_xgboost` or `read_lightgbm`.

    `data` holds rows such as those that will be encrypted, with the features of the model. `bins="model"` uses the
    thresholds of trees as bin edges, so that no comparison changes; **clients then learn the thresholds**. With a
    number of bins, up to 256, the edges are quantiles of the data, which reveal nothing about the model, and thresholds
    move to the nearest edge. Scores of trees and linear models have `output_bits` bits in all.

    Networks that are already quantised are compiled as they are, if tables can hold their sums. Others, and those of
    scikit-learn, are quantised by `quantise`, to sums of `sum_bits` bits or the largest number of bits below that a
    plan serves: `Program.quantised_for` says why, and `agreement` how close the result comes. `sum_bits=None` refuses
    networks that would have to be quantised further. With `inputs="data"`, integers of features range from the least to
    the largest in the data, and rows beyond that range are refused at encryption; `inputs="all"` allows all inputs that
    the network itself accepts, which may need more bits.

    `labels` allow a comparison of the program's accuracy with the model's. The other arguments are those of
    `cryptable.plan`.
    """

    def planned(coding: Coding, literal: dict[str, Any], refused: PlanError | None = None) -> Program:
        server = ServerProgram.from_json(json.dumps(literal))
        plan = programs.plan_program(
            server, values=values, memory=memory, log2_fail=log2_fail, threads=threads, insecure_toy=insecure_toy
        )
        return Program(coding, server, plan, 0.0, None, None, None if refused is None else str(refused), literal)

    if isinstance(model, Network) or type(model).__name__ in PERCEPTRONS:
        program = _of_networks(in_turn(model, data, sum_bits), data, inputs, planned)
    else:
        program = planned(*_ensembles.build(read_model(model), data, bins, output_bits))
    agreement, accuracy = _compared(program, data, labels)
    return replace(program, agreement=agreement, accuracy=accuracy, exact=_exact(program, data))


def _of_networks(
    networks: Iterator[Network],
    data: npt.ArrayLike,
    inputs: Literal["data", "all"],
    planned: Callable[[Coding, dict[str, Any], PlanError | None], Program],
) -> Program:
    """Compiles the first network that a plan serves, and notes why the first one was refused, if it was."""
    refused: PlanError | None = None
    for network in networks:
        try:
            coding, literal = _networks.build(network, data, inputs)
            try:
                return planned(coding, literal, refused)
            except PlanError as error:
                raise PlanError(f"{error} ({coding.describe()}: sums of fewer bits need less precision)") from error
        except PlanError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _exact(program: Program, data: npt.ArrayLike) -> float | None:
    """Returns the share of rows that have the scores of ONNX's own evaluator, if that can evaluate the network."""
    network = getattr(program.coding, "network", None)
    if network is None or network.reference is None:
        return None
    wanted = network.reference(_networks.as_rows(data, network.features))
    found = program.scores(data).reshape(wanted.shape)
    return float(np.isclose(found, wanted, rtol=1e-5, atol=1e-6).all(axis=1).mean())


def _results(literal: dict[str, Any], columns: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Computes the server's results, in the clear."""
    if "layers" in literal:
        return _networks.results(literal, columns)
    each = [columns[:, k] for k in range(columns.shape[1])]
    return np.stack([_evaluated(formula, each, len(columns)) for formula in literal["formulas"]], axis=1)


def _evaluated(formula: dict[str, Any], columns: Sequence[npt.NDArray[np.uint64]], rows: int) -> npt.NDArray[np.int64]:
    """Evaluates a formula in the clear."""
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


def _compared(
    program: Program, data: npt.ArrayLike, labels: npt.ArrayLike | None
) -> tuple[float, tuple[float, float] | None]:
    """Returns the agreement of program and model on rows, and the accuracy of both."""
    of_model = predicted(program.coding, program.coding.model_scores(data))
    of_program = program.predict(program.scores(data))
    if program.kind == "regression":
        agreement = float(np.abs(of_model - of_program).max())
    else:
        agreement = float((of_model == of_program).mean())
    if labels is None:
        return agreement, None
    wanted = np.asarray(labels)
    if program.kind == "regression":
        total = float(((wanted - wanted.mean()) ** 2).sum())
        first, second = (1 - float(((wanted - found) ** 2).sum()) / total for found in (of_model, of_program))
    else:
        first, second = (float((wanted == found).mean()) for found in (of_model, of_program))
    return agreement, (first, second)
