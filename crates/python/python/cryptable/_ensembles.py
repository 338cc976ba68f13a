"""Programs for trees and linear models: bins for features, integers for leaves, formulas for the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._models import Ensemble, Kind, Leaf, Split, score, splits
from ._networks import Floats, as_rows


@dataclass(frozen=True)
class Coding:
    """The client's side of an ensemble: turns features into bins, and decrypted integers into scores."""

    ensemble: Ensemble = field(repr=False)
    edges: tuple[Floats, ...] = field(repr=False)
    """Edges of the bins of each feature: a value is in bin k if exactly k edges are at most the value."""
    scale: float
    """Scores are integers divided by this, plus `offsets`."""
    offsets: tuple[float, ...]
    used: tuple[int, ...]
    """Features that the model depends on."""

    @property
    def kind(self) -> Kind:
        """The meaning of scores."""
        return self.ensemble.kind

    @property
    def classes(self) -> tuple[Any, ...]:
        """Classes, in the order of scores."""
        return self.ensemble.classes

    @property
    def has_probabilities(self) -> bool:
        """Whether scores are probabilities, and not log odds."""
        return self.ensemble.average

    def encode(self, data: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        """Returns the bins of all features that the model uses."""
        values = as_features(data, self.ensemble)
        bins = [np.searchsorted(self.edges[k], values[:, k], side="right") for k in self.used]
        return np.stack(bins, axis=1).astype(np.uint64)

    def scores(self, results: npt.NDArray[np.int64]) -> Floats:
        """Returns the scores of decrypted results."""
        found = results / self.scale + np.asarray(self.offsets)
        return np.asarray(found[:, 0] if found.shape[1] == 1 else found)

    def model_scores(self, data: npt.ArrayLike) -> Floats:
        """Returns the scores of the original model."""
        rows = as_features(data, self.ensemble)
        exact = np.asarray([score(self.ensemble, row) for row in rows])
        return exact[:, 0] if exact.shape[1] == 1 else exact

    def schema(self) -> list[dict[str, Any]]:
        """Returns the columns of a schema that encodes features as their bins."""
        return [self._bins(k) for k in self.used]

    def result_schema(self, names: Sequence[str], modulus: int) -> list[dict[str, Any]]:
        """Returns the columns of a schema that decodes results below `modulus` as scores."""
        size = (modulus - 1) / self.scale
        return [
            {
                "column": name,
                "type": "number",
                "scale": 1 / self.scale,
                "offset": start,
                "minimum": start,
                "maximum": start + size,
            }
            for name, start in zip(names, self.offsets, strict=True)
        ]

    def _bins(self, feature: int) -> dict[str, Any]:
        starts = self.edges[feature]
        if self.ensemble.single:
            starts = least_rounded_to(starts)
        first, last = float(starts[0]), float(starts[-1])
        # Values beyond the edges belong to the first or last bin, so the outer ends are arbitrary.
        ends = [first - max(1.0, abs(first)), *starts.tolist(), last + max(1.0, abs(last))]
        return {"column": self.ensemble.features[feature], "type": "number", "bins": ends, "clip": True}

    def describe(self) -> str:
        """Describes the model."""
        trees = len(self.ensemble.trees)
        what = f"{trees} trees" if trees else "linear model"
        bins = max(len(edges) for edges in self.edges) + 1
        return f"{what}, {len(self.used)} of {len(self.ensemble.features)} features in at most {bins} bins"


def least_rounded_to(edges: Floats) -> Floats:
    """Returns, for each edge, the least number whose rounding to a 32-bit float is at least that edge."""
    single = edges.astype(np.float32)
    single = np.where(single < edges, np.nextafter(single, np.float32(np.inf)), single)
    middle = (np.nextafter(single, np.float32(-np.inf)).astype(float) + single.astype(float)) / 2
    return np.asarray(np.where(middle.astype(np.float32) >= single, middle, np.nextafter(middle, np.inf)))


def as_features(data: npt.ArrayLike, ensemble: Ensemble) -> Floats:
    """Returns rows of features as the model compares them; missing values are refused."""
    values = as_rows(data, ensemble.features)
    return values.astype(np.float32).astype(float) if ensemble.single else values


def build(ensemble: Ensemble, data: npt.ArrayLike, bins: int | str, output_bits: int) -> tuple[Coding, dict[str, Any]]:
    """Builds the server's program for an ensemble, and the client's coding."""
    rows = as_features(data, ensemble)
    edges = _edges(ensemble, rows, bins)
    modulus = max(4, 1 << int(max(len(of_feature) for of_feature in edges)).bit_length())
    builder = _Builder(ensemble, edges, rows, modulus, output_bits)
    literal = builder.literal()
    coding = Coding(ensemble, tuple(edges), builder.scale, tuple(builder.offsets), tuple(builder.columns))
    return coding, literal


def _edges(ensemble: Ensemble, rows: Floats, bins: int | str) -> list[Floats]:
    """Returns the bin edges of every feature."""
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
    """Returns the edges of at most `count` bins, each edge halfway between two adjacent values that occur."""
    distinct = np.unique(values)
    if len(distinct) > count:
        quantiles = np.quantile(values, np.arange(1, count) / count, method="inverted_cdf")
        uppers = np.unique(np.searchsorted(distinct, quantiles, side="right"))
        uppers = uppers[uppers < len(distinct)]
    else:
        uppers = np.arange(1, len(distinct))
    return np.asarray((distinct[uppers - 1] + distinct[uppers]) / 2)


class _Builder:
    """Translates an ensemble into formulas."""

    def __init__(self, ensemble: Ensemble, edges: list[Floats], rows: Floats, modulus: int, output_bits: int) -> None:
        self.ensemble, self.edges, self.rows, self.modulus = ensemble, edges, rows, modulus
        self.output_modulus = 1 << output_bits
        self.outputs = len(ensemble.base)
        self.sorted = [np.sort(rows[:, feature]) for feature in range(rows.shape[1])]
        ranges = [self._terms(output) for output in range(self.outputs)]
        spans = [sum(high - low for low, high in terms) for terms in ranges]
        if max(spans) == 0:
            raise ValueError("the model has the same result for all rows")
        # Rounding may add up to one step per term.
        steps = self.output_modulus - 1 - max(map(len, ranges))
        if steps < 1:
            raise ValueError(f"output_bits={output_bits} are too few for {max(map(len, ranges))} terms")
        self.scale = float(steps / max(spans))
        self.offsets = [base + sum(low for low, _ in terms) for base, terms in zip(ensemble.base, ranges, strict=True)]

    def literal(self) -> dict[str, Any]:
        """Returns the program in the form of its file."""
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
        """Returns the least and the largest contribution of every tree and every linear feature."""
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
        """Returns the mean of the values in each bin."""
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
        """Returns the number of bins below the threshold.

        A threshold inside a bin moves to the end of the bin that has fewer values in between.
        """
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
