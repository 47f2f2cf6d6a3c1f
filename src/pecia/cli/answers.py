"""ingest, search, cite, export."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Self

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pecia import pipeline, plugins
from pecia.batch import cut_files
from pecia.cli import options as opt
from pecia.cli.files import files_of
from pecia.cli.output import Tally, errors, escape, plain, writer
from pecia.errors import DocumentError, MissingExtraError, UsageError
from pecia.library import Library, rank
from pecia.model import Chunk, Citation, Failure, Finding, Hit, Query, Severity


def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, and folders of files.", show_default=False)],
    library: opt.LibraryFolder,
    strategy: opt.StrategyName = plugins.AUTO,
    max_tokens: opt.MaxTokens = None,
    target_tokens: opt.TargetTokens = None,
    overlap_tokens: opt.OverlapTokens = None,
    tokenizer: opt.Tokenizer = None,
    option: opt.Others = None,
    entities: opt.Entities = None,
    reference_only: Annotated[bool, typer.Option("--reference-only", help="Keep no copies of the files.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes that cut files.")] = os.cpu_count()
    or 1,
    again: Annotated[bool, typer.Option("--again", help="Parse also what is held already, as after an update of pecia.")] = False,
) -> None:
    """Cut files and put them into a library. What is there already is left as it is."""
    given = opt.strategy_options(max_tokens, target_tokens, overlap_tokens, tokenizer, option, entities)
    names = plugins.strategy_names() if strategy == plugins.AUTO else (strategy,)
    hashes = [plugins.strategy(name, **given).options_hash for name in names]  # wrong options are refused here
    files = list(files_of(paths))
    tally, changed, same = Tally(), 0, 0
    with Library(library, keep_originals=not reference_only) as held, _Progress(len(files)) as step:
        new = files if again else [file for file in files if not held.holds(file, strategy, hashes)]
        # A process takes 0.5 s to start: for a few files it is not worth it.
        outcomes = cut_files(new, strategy, given, jobs=min(jobs, max(1, len(new) // 4)))
        step(len(files) - len(new))
        try:
            for outcome in outcomes:
                step(1, outcome.file.name)
                if outcome.failure:
                    tally.fail(outcome.failure)
                for cutting, findings in outcome.cuttings:
                    stored = _store(held, outcome.file, cutting, findings, tally)
                    changed, same = changed + (stored is True), same + (stored is False)
        finally:  # a full disk or Ctrl-C ends the run, but not what it has to tell
            outcomes.close()
            code = tally.close()
            errors.print(f"{changed} new or changed, {same + len(files) - len(new)} as before")
    raise typer.Exit(code)


def _store(held: Library, file: Path, cutting: pipeline.Cutting, findings: Iterable[Finding], tally: Tally) -> bool | None:
    """Whether the library changed; None where the document was refused."""
    if cutting.reason:
        errors.print(f"{escape(file.name)}: {cutting.strategy.name}, because {escape(cutting.reason)}")
    tally.add(cutting.chunks, findings, file.name)
    broken = sum(finding.severity is Severity.ERROR for finding in findings)
    if broken:
        tally.fail(Failure(str(file), "check", f"{broken} findings of severity error; nothing of it was stored"))
        return None
    try:
        return held.add(cutting.document, cutting.chunks, strategy=cutting.strategy, original=file)
    except DocumentError as error:
        tally.fail(Failure(str(file), error.stage, error.message, error.page))
        return None


class _Progress:
    """A bar on standard error where that is a terminal; else nothing."""

    def __init__(self, total: int) -> None:
        columns = (TextColumn("{task.description:<32.32}"), BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, steps: int, name: str = "") -> None:
        self._bar.update(self._task, description=name, advance=steps)


def search(
    query: Annotated[str, typer.Argument(help="What to look for.", show_default=False)],
    library: Annotated[Path | None, typer.Option("--library", "-l", metavar="DIR", help="The library to search.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="A file to search without a library.")] = None,
    k: Annotated[int, typer.Option("-k", metavar="N", help="How many hits.")] = 10,
    where: opt.Where = None,
    strategy: opt.StrategyName = plugins.AUTO,
    as_json: opt.AsJson = False,
) -> None:
    """Find chunks, best first, each with a citation that has just been checked against its source."""
    if (library is None) == (file is None):
        raise UsageError("search needs --library DIR or --file FILE, and not both")
    Query(query, k)  # refused before anything is opened
    if library is not None:
        with Library(library, create=False) as held:
            hits = held.search(query, k=k, where=where)
            passages = [] if as_json else [held.passage(hit, query) for hit in hits]
    elif file is not None:
        documents = list(pipeline.parse_all(file))
        chunks = [chunk for document in documents for chunk in pipeline.cut(document, strategy).chunks]
        hits = rank(chunks, documents, query, k=k, where=where)
        passages = [hit.citation for hit in hits]
    if as_json:
        typer.echo(json.dumps([_hit_json(hit) for hit in hits], ensure_ascii=False))
        return
    for hit, passage in zip(hits, passages, strict=True):
        _print_hit(hit, passage)
    if not hits:
        errors.print("no chunk holds any of these words")


def _hit_json(hit: Hit) -> dict[str, Any]:
    found = {"rank": hit.rank, "score": hit.score, "retriever": hit.retriever, "citation": hit.citation.to_json()}
    return {**found, **hit.chunk.to_record()}


def _print_hit(hit: Hit, passage: Citation) -> None:
    where = " · ".join(part for part in (passage.source_name, passage.place()) if part)
    plain.print(f"[bold]{hit.rank}[/] {escape(where)}  [dim]{hit.score:.2f}  {hit.chunk.chunk_id}[/]")
    if passage.headings:
        plain.print(f"  {escape(' › '.join(passage.headings))}")
    mark = " [red]QUARANTINED[/]" if passage.quarantined else ""
    plain.print(f"  “{escape(passage.short_quote())}”{mark}")


def cite(
    chunk_id: Annotated[str, typer.Argument(metavar="CHUNK_ID", help="As search and export show it.", show_default=False)],
    library: opt.LibraryFolder,
    quote: Annotated[str | None, typer.Option(metavar="TEXT", help="Cite only these words of the chunk.")] = None,
    find: Annotated[str | None, typer.Option(metavar="QUERY", help="Cite only the sentences that answer this best.")] = None,
    image: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Write the page with the quote boxed (PDF).")] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Show where a chunk stands, after checking that it still does. Exit 1 where it does not."""
    with Library(library, create=False) as held:
        citation = held.cite(chunk_id, quote=quote)
        if find is not None:
            citation = held.passage(Hit(held.chunk(chunk_id), 0.0, 1, "cite", citation), find)
        if image:
            pipeline.picture(held.original(chunk_id), citation, image)
    if as_json:
        typer.echo(json.dumps(citation.to_json(), ensure_ascii=False))
        return
    for name, value in (
        ("source", citation.uri),
        ("headings", " › ".join(citation.headings)),
        ("place", citation.place()),
        ("quote", citation.quote),
        ("checked", "the quote stands in the stored text, the stored file is the one that was added"),
    ):
        if value:
            plain.print(f"[dim]{name:<9}[/] {escape(value)}")


def export(
    library: opt.LibraryFolder,
    output: opt.Output = None,
    where: opt.Where = None,
) -> None:
    """Write the chunks of a library: JSON Lines, or Parquet where the file's name ends in .parquet."""
    with Library(library, create=False) as held:
        chunks = held.export(where)
        if output and output.suffix == ".parquet":
            count = _write_parquet(chunks, output)
        else:
            count = 0
            with writer(output) as out:
                for chunk in chunks:
                    out.write(f"{chunk.to_line()}\n")
                    count += 1
    errors.print(f"{count:,} chunks written")


def _write_parquet(chunks: Iterable[Chunk], path: Path) -> int:
    """One row a chunk; lists of objects and mixed page ranges stand as JSON strings, since a Parquet column has one type."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", "writing Parquet") from error
    types = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    declared = plugins.declared()
    types |= {"str[]": pa.list_(pa.string()), "int[]": pa.list_(pa.int64())}
    schema = pa.schema([(item.name, types.get(item.type, pa.string())) for item in declared])
    nested = {item.name for item in declared if item.type == "object[]"}
    count = 0
    partial = path.with_name(f".{path.name}.partial")
    try:
        with ParquetWriter(partial, schema) as out:
            for batch in _batches(chunks, 1000):
                rows = [
                    {
                        name: json.dumps(value, ensure_ascii=False) if name in nested and value is not None else value
                        for name, value in row.items()
                    }
                    for row in (chunk.to_record() for chunk in batch)
                ]
                out.write_table(pa.Table.from_pylist(rows, schema=schema))
                count += len(rows)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return count


def _batches(chunks: Iterable[Chunk], size: int) -> Iterator[list[Chunk]]:
    batch: list[Chunk] = []
    for chunk in chunks:
        batch.append(chunk)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
