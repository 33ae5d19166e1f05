"""redyn.sweep.open: what a sweep has computed, to read with pandas, Arrow, DuckDB or Zarr."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError, MissingExtraError, RedynError
from redyn.sweep.plan import Spec
from redyn.sweep.shard import FAILURE, SAMPLE, pyarrow
from redyn.sweep.store import SHARDS, Folder, Status
from redyn.words import suggestion

if TYPE_CHECKING:
    from redyn.sweep.summary import Summary

Array = NDArray[np.float64]


class Result:
    """The finished shards of a sweep. Tables are in the order of samples, whatever order they were computed in."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<Sweep {self.status}>"

    @property
    def spec(self) -> Spec:
        return self._folder.plan

    @property
    def folder(self) -> Path:
        return self._folder.path

    @property
    def status(self) -> Status:
        return self._folder.status()

    @property
    def samples(self) -> int:
        """How many are done."""
        return self.status.samples_done

    @property
    def complete(self) -> bool:
        return self.status.complete

    @property
    def failed(self) -> int:
        """How many samples have no result."""
        return sum(self.failures().values())

    def failures(self) -> dict[str, int]:
        """How many samples failed, by reason, the most frequent first."""
        found: Counter[str] = Counter()
        for table in self.batches([FAILURE]):
            found.update(reason for reason in table[FAILURE].drop_null().to_pylist())
        return dict(found.most_common())

    @property
    def schema(self) -> Any:
        """Names and types of the columns, as Arrow has them."""
        done = self._folder.finished()
        if not done:
            raise RedynError(f"{self.folder}: no shard is finished yet")
        return _parquet().read_schema(self._folder.file(done[0]))

    @property
    def varied(self) -> list[str]:
        """The columns that vary."""
        return [name for name in self._names()[0] if name not in (SAMPLE, FAILURE)]

    @property
    def outputs(self) -> list[str]:
        """The columns that were computed, arrays included."""
        return self._names()[1]

    def _names(self) -> tuple[list[str], list[str]]:
        from redyn.sweep.shard import prepared  # the specification alone tells which are which

        if self.spec.names_code:
            names, outputs = list(self.schema.names), [name.partition("[")[0] for name in self.spec.outputs]
            return [name for name in names if name not in outputs], outputs
        whole = prepared(self.spec)
        return whole.sampler.column_names, [output.name for output in whole.runner.outputs]

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Arrow tables, one per shard: never more than one of them in memory.

        >>> import redyn, tempfile
        >>> plan = {"robot": "one-link", "samples": 5, "shard": 2, "run": {"call": "com"},
        ...         "vary": {"q": redyn.sweep.Uniform(0, 1)}}
        >>> [len(table) for table in redyn.sweep.run(plan, tempfile.mkdtemp()).batches(["sample"])]
        [2, 2, 1]
        """
        if columns is not None:
            known = self.schema.names
            for name in columns:
                if name not in known:
                    raise InputError(f"columns: there is no {name!r}{suggestion(name, known)}")
        parquet = _parquet()
        for k in self._folder.finished():
            path = self._folder.file(k)
            try:
                table = parquet.read_table(path, columns=None if columns is None else list(columns), partitioning=None)
            except (OSError, pyarrow().ArrowInvalid) as error:
                raise RedynError(f"{path}: cannot be read: {error}; remove it and run the sweep again") from None
            about: dict[bytes, bytes] = table.schema.metadata or {}
            if about.get(b"redyn.spec", b"").decode() != self.spec.hash:
                raise RedynError(f"{path}: is of another sweep; remove it and run the sweep again")
            yield table

    def to_arrow(self, columns: Sequence[str] | None = None) -> Any:
        """One Arrow table."""
        arrow = pyarrow()
        tables = [table.replace_schema_metadata() for table in self.batches(columns)]
        if not tables:
            raise RedynError(f"{self.folder}: no shard is finished yet")
        return arrow.concat_tables(tables)

    def to_pandas(self, columns: Sequence[str] | None = None) -> Any:
        """One DataFrame, a row per sample."""
        try:
            import pandas  # noqa: F401  # pyright: ignore[reportMissingImports, reportMissingTypeStubs, reportUnusedImport]
        except ImportError:
            raise MissingExtraError("pandas", "sweep", "A DataFrame") from None
        return self.to_arrow(columns).to_pandas()

    def dataset(self) -> Any:
        """A pyarrow.dataset over the files, for results that do not fit in memory."""
        pyarrow()
        import pyarrow.dataset as found  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]

        return cast(Any, found).dataset([str(self._folder.file(k)) for k in self._folder.finished()], format="parquet")

    def duckdb(self, connection: Any = None) -> Any:
        """A DuckDB relation over the files, which DuckDB reads as far as a query needs them."""
        try:
            import duckdb  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
        except ImportError:
            raise RedynError("DuckDB is not installed: pip install duckdb") from None
        place = connection if connection is not None else cast(Any, duckdb)
        return place.read_parquet(str(self.folder / SHARDS / "*.parquet"))

    def to_zarr(self, path: str | Path) -> Any:
        """A Zarr group with an array per column, (samples, ...), in chunks of shards; returns it.

        Samples that failed have NaN; `failure` holds the number of the reason in the attribute `reasons`, -1 for those
        that did not fail, -2 for those not computed yet.
        """
        try:
            import zarr  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
        except ImportError:
            raise RedynError("Zarr is not installed: pip install 'zarr>=3'") from None
        if Path(path).exists():
            raise RedynError(f"{path}: exists; name a new folder")
        group, plan, reasons = cast(Any, zarr).open_group(str(path), mode="w-"), self.spec, list[str]()
        made: dict[str, Any] = {}
        for field in self.schema:
            shape = shape_of(field)
            kind, fill = {SAMPLE: ("i8", -1), FAILURE: ("i4", -2)}.get(field.name, ("f8", float("nan")))
            made[field.name] = group.create_array(
                name=field.name,
                shape=(plan.samples, *shape),
                chunks=(min(plan.shard, plan.samples), *shape),
                dtype=kind,
                fill_value=fill,
            )
        for table in self.batches():
            first = table[SAMPLE][0].as_py()
            rows = slice(first, first + len(table))
            for name, target in made.items():
                target[rows] = _coded(table[name], reasons) if name == FAILURE else values(table, name)
        group.attrs.update({"spec": plan.to_data(), "hash": plan.hash, "reasons": reasons})
        return group

    def summary(self) -> Summary:
        """Statistics of every column and sensitivities of the outputs."""
        from redyn.sweep.summary import summarised

        return summarised(self)

    def plot(self, path: str | Path | None = None, outputs: Sequence[str] | None = None, force: bool = False) -> Any:
        """Quantile bands, scatter and tornado charts as a Matplotlib figure, saved to `path` if one is given."""
        from redyn.sweep.page import overview

        return overview(self, path, outputs, force)

    def html(self, path: str | Path, force: bool = False) -> Path:
        """One self-contained HTML file: what was swept, statistics, failures and charts."""
        from redyn.sweep.page import write_page

        return write_page(self, path, force)


def values(table: Any, name: str) -> Array:
    """A column as an array, (N,) or (N, ...): NaN where a sample failed."""
    arrow = pyarrow()
    column, field = table[name].combine_chunks(), table.schema.field(name)
    if not arrow.types.is_fixed_size_list(field.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    shape = shape_of(field)
    found = np.full((len(column), field.type.list_size), np.nan)
    there = np.asarray(column.is_valid().to_numpy(zero_copy_only=False))
    found[there] = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, field.type.list_size)
    return found.reshape(len(column), *(shape or (field.type.list_size,)))


def shape_of(field: Any) -> tuple[int, ...]:
    """Of the arrays in a column; () if it holds numbers."""
    about: dict[bytes, bytes] = field.metadata or {}
    return tuple(int(n) for n in about.get(b"shape", b"").decode().split(",") if n)


def _coded(column: Any, reasons: list[str]) -> NDArray[np.int32]:
    found = np.full(len(column), -1, dtype=np.int32)
    for row, reason in enumerate(column.to_pylist()):
        if reason is not None:
            if reason not in reasons:
                reasons.append(reason)
            found[row] = reasons.index(reason)
    return found


def _parquet() -> Any:
    pyarrow()
    import pyarrow.parquet as found  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]

    return found


def open(folder: str | Path) -> Result:
    """The results of a sweep, finished or not, from its folder."""
    return Result(Folder.opened(folder))


def status(folder: str | Path) -> Status:
    """How much of the sweep in a folder is done: counts files."""
    return Folder.opened(folder).status()
