"""Quantised networks: layers of integer sums and tables, which `cryptable.ml` compiles.

Each layer of a network computes weighted sums of integers, and elementwise steps turn every sum into an integer again,
the input of the next layer. A step acts on all sums of a layer at once, with separate parameters for each. Everything
is exact: `Network.sums` computes on integers exactly what the server computes on ciphertexts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._models import Kind, UnsupportedModelError
from .errors import PlanError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LARGEST_MODULUS = 1 << 12
"""Largest number of values that a sum may have, which is the largest modulus of columns in formulas."""

TABLES = "tables"
"""Name of functions that the user defined on integers."""


@dataclass(frozen=True)
class Affine:
    """The step `scale * x + offset`."""

    scale: Floats
    offset: Floats

    def __call__(self, x: Floats, rounding: bool = True) -> Floats:
        return x * self.scale + self.offset

    def picked(self, pick: Callable[[Any], Any]) -> Affine:
        """The same for other elements."""
        return Affine(pick(self.scale), pick(self.offset))


@dataclass(frozen=True)
class Quantise:
    """The step `round(x / scale) + zero`, with ties to even, clipped to the range from `low` to `high`."""

    scale: Floats
    zero: Floats
    low: float
    high: float

    def __call__(self, x: Floats, rounding: bool = True) -> Floats:
        found = x / self.scale
        return np.clip((np.rint(found) if rounding else found) + self.zero, self.low, self.high)

    def picked(self, pick: Callable[[Any], Any]) -> Quantise:
        """The same for other elements."""
        return Quantise(pick(self.scale), pick(self.zero), self.low, self.high)


@dataclass(frozen=True)
class Function:
    """The step of an activation function."""

    name: str
    function: Callable[[Floats], Floats] = field(compare=False)

    def __call__(self, x: Floats, rounding: bool = True) -> Floats:
        return np.asarray(self.function(x), dtype=float)

    def picked(self, pick: Callable[[Any], Any]) -> Function:
        """The same for other elements."""
        return self


Step = Affine | Quantise | Function


def relu(x: Floats) -> Floats:
    """Returns x where it is positive, else 0."""
    return np.maximum(x, 0.0)


def sigmoid(x: Floats) -> Floats:
    """Evaluates the logistic function."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -700, 700))))


@dataclass(frozen=True)
class Layer:
    """A layer: sums of the previous values, and steps that turn them into integers (except in the last layer)."""

    weights: npt.NDArray[Any]
    """One row per sum with a factor per previous value: integers, except in networks that are yet to be quantised."""
    constants: npt.NDArray[Any]
    steps: tuple[Step, ...]

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Computes the sums for rows of values."""
        return np.asarray(values @ self.weights.T + self.constants)

    def after(self, sums: npt.NDArray[Any], rounding: bool = True) -> Floats:
        """Applies the steps to sums."""
        found = np.asarray(sums, dtype=float)
        for step in self.steps:
            found = step(found, rounding)
        return found


@dataclass(frozen=True)
class Network:
    """A quantised network of any origin."""

    kind: Kind
    features: tuple[str, ...]
    inputs: Quantise = field(repr=False)
    """Quantisation by which clients turn features into integers."""
    layers: tuple[Layer, ...] = field(repr=False)
    classes: tuple[Any, ...] = ()
    of_floats: Callable[[Floats], Floats] | None = field(default=None, repr=False, compare=False)
    """Computes scores of the model before it was quantised; if missing, the network is evaluated without rounding."""
    reference: Callable[[Floats], Floats] | None = field(default=None, repr=False, compare=False)
    """Computes scores of the quantised model with its original library."""

    @classmethod
    def of_layers(
        cls,
        weights: Sequence[npt.ArrayLike],
        tables: Sequence[Sequence[Callable[[Integers], npt.ArrayLike]]],
        *,
        features: Sequence[str],
        largest: int,
        constants: Sequence[npt.ArrayLike] = (),
        classes: Sequence[Any] = (),
    ) -> Network:
        """Makes a network on integers, with a row of weights per sum, and a function per sum in all but the last layer.

        Features are integers from 0 to `largest`. A single sum in the last layer is a value; several sums are scores of
        classes. `constants` are added to the sums.
        """
        rows = [np.asarray(each, dtype=np.int64) for each in weights]
        if len(tables) != len(rows) - 1:
            raise ValueError(
                f"{len(tables)} layers of tables for {len(rows)} layers of weights: all but the last one need tables"
            )
        layers, before = [], len(features)
        for index, factors in enumerate(rows):
            if factors.ndim != 2 or factors.shape[1] != before:
                raise ValueError(
                    f"weights of layer {index + 1} have the shape {factors.shape}; there are {before} values"
                )
            begin = constants[index] if constants else np.zeros(len(factors))
            steps = (_each(tables[index]),) if index < len(tables) else ()
            if steps and len(tables[index]) != len(factors):
                raise ValueError(f"{len(tables[index])} tables for the {len(factors)} sums of layer {index + 1}")
            layers.append(Layer(factors, np.asarray(begin, dtype=np.int64), steps))
            before = len(factors)
        count = len(features)
        inputs = Quantise(np.ones(count), np.zeros(count), 0, largest)
        labels = () if before == 1 else tuple(classes) or tuple(range(before))
        return cls("regression" if before == 1 else "classes", tuple(features), inputs, tuple(layers), labels)

    @property
    def is_written_by_hand(self) -> bool:
        """Whether the tables were defined as functions of integers, not derived from real numbers."""
        return any(isinstance(step, Function) and step.name == TABLES for layer in self.layers for step in layer.steps)

    @property
    def has_probabilities(self) -> bool:
        """Whether scores are probabilities, and not log odds."""
        return any(isinstance(step, Function) and step.name == "Sigmoid" for step in self.layers[-1].steps)

    def integers(self, data: Floats) -> Integers:
        """Returns the integers of features; clients subtract the least possible ones before they encrypt."""
        return np.asarray(self.inputs(data), dtype=np.int64)

    def sums(self, integers: Integers) -> Integers:
        """Computes the sums of the last layer."""
        values = integers
        for layer in self.layers[:-1]:
            values = np.asarray(layer.after(layer.sums(values)), dtype=np.int64)
        return np.asarray(self.layers[-1].sums(values), dtype=np.int64)

    def scores_of(self, sums: Integers) -> Floats:
        """Returns the scores, one per output, for sums of the last layer."""
        return self.layers[-1].after(sums)

    def float_scores(self, data: Floats) -> Floats:
        """Scores of the model before it was quantised."""
        if self.of_floats is not None:
            return self.of_floats(data)
        values = self.inputs(data, rounding=False)
        for layer in self.layers:
            values = layer.after(layer.sums(values), rounding=False)
        return values


def _each(functions: Sequence[Callable[[Integers], npt.ArrayLike]]) -> Function:
    """Combines one function per sum into a step."""

    def table(x: Floats) -> Floats:
        integers = np.asarray(x, dtype=np.int64)
        found = [np.asarray(function(integers[..., k])) for k, function in enumerate(functions)]
        return np.asarray(np.stack(found, axis=-1), dtype=float)

    return Function(TABLES, table)


@dataclass(frozen=True)
class Ranges:
    """The least and the largest possible value of each input, and of each sum of each layer."""

    inputs: tuple[Integers, Integers]
    sums: tuple[tuple[Integers, Integers], ...]

    def bits(self, layer: int) -> int:
        """Returns the number of bits of the widest range among a layer's sums."""
        low, high = self.sums[layer]
        return int((high - low).max()).bit_length()


def ranges_of(network: Network, inputs: tuple[Integers, Integers]) -> Ranges:
    """Computes bounds of all sums, for inputs within the given bounds."""
    low, high = inputs
    found = []
    for layer in network.layers:
        least, most = layer.weights * low, layer.weights * high
        low = np.minimum(least, most).sum(axis=1) + layer.constants
        high = np.maximum(least, most).sum(axis=1) + layer.constants
        found.append((low, high))
        if layer is not network.layers[-1]:
            if int((high - low).max()) >= LARGEST_MODULUS:
                break
            ends = [table for table, _ in _tables(layer, low, high)]
            low = np.array([int(table.min()) for table in ends], dtype=np.int64)
            high = np.array([int(table.max()) for table in ends], dtype=np.int64)
    return Ranges(inputs, tuple(found))


def _tables(layer: Layer, low: Integers, high: Integers) -> list[tuple[Integers, int]]:
    """Returns for each sum the outputs of the layer's steps, from the least value of the sum on, and that value."""
    count = int((high - low).max()) + 1
    sums = low + np.arange(count, dtype=np.int64)[:, None]
    outputs = np.asarray(layer.after(np.minimum(sums, high)), dtype=np.int64)
    return [(outputs[: int(high[k] - low[k]) + 1, k], int(low[k])) for k in range(len(low))]


def checked(network: Network, ranges: Ranges) -> None:
    """Checks that the sums of all hidden layers fit into tables; the error names the number of bits."""
    for index in range(len(network.layers) - 1):
        low, high = ranges.sums[index]
        width = int((high - low).max()) + 1
        if width > LARGEST_MODULUS:
            worst = int((high - low).argmax())
            served = LARGEST_MODULUS.bit_length() - 1
            raise PlanError(
                f"layer {index + 1} has sums of {ranges.bits(index)} bits (sum {worst + 1}: from {low[worst]} to "
                f"{high[worst]}), but tables support {served} bits; weights, inputs or activations of fewer bits make "
                "sums fit, as ml.quantise chooses them"
            )


@dataclass(frozen=True)
class Coding:
    """The client's side of a network: turns features into integers, and decrypted sums into scores."""

    network: Network = field(repr=False)
    ranges: Ranges = field(repr=False)
    used: tuple[int, ...]
    """Features that the network depends on."""

    @property
    def kind(self) -> Kind:
        """The meaning of scores."""
        return self.network.kind

    @property
    def classes(self) -> tuple[Any, ...]:
        """Classes, in the order of scores."""
        return self.network.classes

    @property
    def has_probabilities(self) -> bool:
        """Whether scores are probabilities, and not log odds."""
        return self.network.has_probabilities

    def encode(self, data: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        """Returns the integers of all features that the network uses."""
        values = as_rows(data, self.network.features)
        integers = self.network.integers(values)
        low, high = self.ranges.inputs
        wrong = np.argwhere((integers < low) | (integers > high))
        if len(wrong):
            row, column = wrong[0]
            raise ValueError(
                f'column "{self.network.features[column]}", row {row + 1}: {values[row, column]} is beyond what the '
                f"network was compiled for, {low[column]} to {high[column]} as integers; "
                'ml.compile(..., inputs="all") takes all'
            )
        return np.asarray((integers - low)[:, list(self.used)], dtype=np.uint64)

    def scores(self, results: npt.NDArray[np.int64]) -> Floats:
        """Returns the scores of decrypted results."""
        low, _ = self.ranges.sums[-1]
        found = self.network.scores_of(results + low)
        return found[:, 0] if found.shape[1] == 1 else found

    def model_scores(self, data: npt.ArrayLike) -> Floats:
        """Scores of the model before it was quantised."""
        found = self.network.float_scores(as_rows(data, self.network.features))
        return found[:, 0] if found.shape[1] == 1 else found

    def describe(self) -> str:
        """Describes the network."""
        layers = " and ".join(
            f"{len(layer.weights)} sums of {self.ranges.bits(index)} bits"
            for index, layer in enumerate(self.network.layers)
        )
        used = f"{len(self.used)} of {len(self.network.features)} features"
        return f"network of {len(self.network.layers)} layers, {layers}, {used}"


def as_rows(data: npt.ArrayLike, features: Sequence[str]) -> Floats:
    """Returns rows of features, and refuses missing values.

    Columns of frames are found by name, or by position if no column has the name of a feature.
    """
    names = set(map(str, getattr(data, "columns", ())))
    lacking = [name for name in features if name not in names]
    if not lacking:
        data = data[list(features)]  # type: ignore[call-overload, index]
    elif len(lacking) < len(features):
        raise ValueError(f'the data have no column "{lacking[0]}", which the model has, among {len(names)} columns')
    values = np.asarray(data, dtype=float)
    if values.ndim > 2:
        values = values.reshape(len(values), -1)
    if values.ndim != 2 or values.shape[1] != len(features):
        raise ValueError(f"data have the shape {values.shape}; the model has {len(features)} features")
    missing = np.argwhere(~np.isfinite(values))
    if len(missing):
        row, column = missing[0]
        raise ValueError(
            f'column "{features[column]}", row {row + 1}: {values[row, column]} is not a number that can be compared'
        )
    return values


def build(network: Network, data: npt.ArrayLike, inputs: str) -> tuple[Coding, dict[str, Any]]:
    """Builds the server's program for a network, and the client's coding."""
    if len(network.layers) < 2:
        raise UnsupportedModelError("a network without a hidden layer")
    integers = network.integers(as_rows(data, network.features))
    if inputs == "all":
        bounds = (
            np.full(integers.shape[1], int(network.inputs.low)),
            np.full(integers.shape[1], int(network.inputs.high)),
        )
    else:
        bounds = (integers.min(axis=0), integers.max(axis=0))
    ranges = ranges_of(network, bounds)
    checked(network, ranges)
    return _Builder(network, ranges).build()


class _Builder:
    """Builds the layers of a program: constant tables merge into the next layer, and unused values are dropped."""

    def __init__(self, network: Network, ranges: Ranges) -> None:
        self.network, self.ranges = network, ranges
        self.weights = [layer.weights.copy() for layer in network.layers]
        self.constants = [layer.constants.copy() for layer in network.layers]
        self.tables = [_tables(layer, *ranges.sums[k]) for k, layer in enumerate(network.layers[:-1])]
        self.constants[0] = self.constants[0] + self.weights[0] @ ranges.inputs[0]
        for index, (low, _) in enumerate(ranges.sums):
            self.constants[index] = self.constants[index] - low

    def build(self) -> tuple[Coding, dict[str, Any]]:
        """Builds the client's coding and the program."""
        low, high = self.ranges.inputs
        alive = [high > low] + [np.array([table.min() < table.max() for table, _ in each]) for each in self.tables]
        for index, tables in enumerate(self.tables):
            fixed = [0 if alive[index + 1][k] else int(table[0]) for k, (table, _) in enumerate(tables)]
            self.constants[index + 1] = self.constants[index + 1] + self.weights[index + 1] @ np.array(fixed)
        wanted = np.ones(len(self.weights[-1]), dtype=bool)
        for index in reversed(range(len(self.weights))):
            alive[index] &= (self.weights[index][wanted] != 0).any(axis=0)
            wanted = alive[index]
        alive.append(np.ones(len(self.weights[-1]), dtype=bool))
        dead = np.argwhere((self.weights[-1][:, alive[-2]] == 0).all(axis=1))
        if len(dead):
            raise ValueError(f"output {dead[0][0] + 1} of the network is the same for all rows")
        used = tuple(int(k) for k in np.argwhere(alive[0])[:, 0])
        return Coding(self.network, self.ranges, used), self._literal(alive, used)

    def _literal(self, alive: list[npt.NDArray[np.bool_]], used: tuple[int, ...]) -> dict[str, Any]:
        modulus, output_modulus = self._moduli(alive)
        layers: list[dict[str, Any]] = []
        for index, weights in enumerate(self.weights):
            kept = alive[index + 1]
            layer: dict[str, Any] = {
                "weights": weights[kept][:, alive[index]].tolist(),
                "constants": self.constants[index][kept].tolist(),
            }
            if index < len(self.tables):
                tables = [table for (table, _), is_kept in zip(self.tables[index], kept, strict=True) if is_kept]
                layer["tables"] = [np.pad(table, (0, modulus - len(table)), mode="edge").tolist() for table in tables]
            layers.append(layer)
        outputs = len(self.weights[-1])
        names = ["score"] if outputs == 1 else [f"score of {label}" for label in self.network.classes or range(outputs)]
        return {
            "columns": [self.network.features[k] for k in used],
            "modulus": modulus,
            "results": names,
            "output_modulus": output_modulus,
            "layers": layers,
        }

    def _moduli(self, alive: list[npt.NDArray[np.bool_]]) -> tuple[int, int]:
        """Returns the moduli of columns and of results: the largest values plus one.

        Networks with more than one hidden layer have one modulus for both, since results of lookups are looked up
        again.
        """
        low, high = self.ranges.inputs
        widths = [int((high - low).max())]
        for index, (low, high) in enumerate(self.ranges.sums):
            widths.append(int((high - low)[alive[index + 1]].max()))
        modulus = max(4, *(width + 1 for width in widths[:-1]))
        output_modulus = max(4, widths[-1] + 1)
        if len(self.tables) > 1:
            modulus = output_modulus = max(modulus, output_modulus)
        return modulus, output_modulus


def results(literal: dict[str, Any], columns: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Computes the server's results, in the clear."""
    values = columns.astype(np.int64)
    for layer in literal["layers"]:
        values = values @ np.array(layer["weights"], dtype=np.int64).T + np.array(layer["constants"], dtype=np.int64)
        if "tables" in layer:
            tables = np.array(layer["tables"], dtype=np.int64)
            values = tables[np.arange(len(tables)), values % literal["modulus"]]
    return values
