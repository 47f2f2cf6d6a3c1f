"""ingest, embed, search, cite, export."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pecia import pipeline, plugins, records
from pecia.batch import cut_files, size_of
from pecia.citing.whole import SHOWN_WHOLE, is_beside
from pecia.citing.whole import whole as whole_segment
from pecia.cli import options as opt
from pecia.cli.files import files_of
from pecia.cli.output import Tally, counted, errors, escape, plain, writer
from pecia.errors import DocumentError, MissingExtraError, RecordError, UsageError
from pecia.library import Library
from pecia.model import Chunk, Citation, Document, Failure, Finding, Hit, Query, Severity
from pecia.ranking import rank, understand


def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...", help="Files, folders of files, and CHUNKS.jsonl of records.", readable=False, show_default=False
        ),
    ],
    library: opt.LibraryFolder,
    strategy: opt.StrategyName,
    max_tokens: opt.MaxTokens = None,
    target_tokens: opt.TargetTokens = None,
    overlap_tokens: opt.OverlapTokens = None,
    tokenizer: opt.Tokenizer = None,
    option: opt.Others = None,
    judge: opt.Judge = False,
    entities: opt.Entities = None,
    reference_only: Annotated[bool, typer.Option("--reference-only", help="Keep no copies of the files.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes that cut files.")] = os.cpu_count()
    or 1,
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file that records were cut from; it is parsed and kept.")
    ] = None,
    embedder: Annotated[
        str | None, typer.Option("--embedder", metavar="NAME", help="Embed what has no vectors afterwards, as embed does.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Parse also what is held already, as after an update of pecia.")] = False,
) -> None:
    """Cut files and put them into a library. What is there already is left as it is.

    Records of CHUNKS.jsonl are loaded as they are, all of them or none.
    """
    given = opt.strategy_options(max_tokens, target_tokens, overlap_tokens, tokenizer, option, entities, judge=judge)
    if embedder is not None:
        _ = plugins.embedder(embedder).dimension  # what is not installed or not there is told before hours of work
    names = plugins.strategy_names() if strategy == plugins.AUTO else (strategy,)
    hashes = [plugins.strategy(name, **given).options_hash for name in names]  # wrong options are refused here
    loaded = [path for path in paths if path.suffix == ".jsonl"]
    if source and len(loaded) != 1:
        raise UsageError(f"--source names the file of one CHUNKS.jsonl; {len(loaded)} are given")
    files = list(files_of(path for path in paths if path not in loaded))
    tally, changed, same = Tally(), 0, 0
    with Library(library, keep_originals=not reference_only) as held, _Progress(len(files)) as step:
        new = files if again else [file for file in files if not held.holds(file, strategy, hashes)]
        new.sort(key=size_of, reverse=True)  # at the end a long file would be cut by one process while the others have nothing
        # A process takes 0.5 s to start: for a few files it is not worth it.
        outcomes = cut_files(new, strategy, given, jobs=min(jobs, max(1, len(new) // 4)))
        step(len(files) - len(new))
        try:
            for path in loaded:
                made = _load(held, path, source, tally)
                changed, same = changed + made, same + (made == 0)
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
    with Library(library, create=False) as held:
        _relink(held)
        if embedder is not None:
            _embed(held, embedder)
    raise typer.Exit(code)


def _relink(held: Library) -> None:
    count = 0
    with _Progress(0) as step:
        for _, of in held.relink():
            step(1, "known entities", of=of)
            count += 1
    if count:
        errors.print(f"{count:,} conversations and pages linked to the entities that the library holds now")


def _load(held: Library, path: Path, source: Path | None, tally: Tally) -> int:
    """Loads a file of records; the number of cuttings that changed."""
    chunks = records.read(path)
    documents = list(pipeline.parse_all(source)) if source else []
    known = {document.id for document in documents}
    if source and (strange := sum(chunk.document_id not in known for chunk in chunks)):
        raise RecordError([f"{strange} records of {path.name} are of another file than {source.name}"])
    found = list(records.findings(chunks))
    for document in documents:
        own = [chunk for chunk in chunks if chunk.document_id == document.id]
        rules = {rule.code: rule for name in {chunk.strategy for chunk in own} for rule in plugins.strategy(name).rules}
        checked = pipeline.check(document, own, tuple(rules.values()))
        found += (finding for finding in checked if finding.rule != "LAW101")  # records may be a part of a document
    broken = [finding for finding in found if finding.severity is Severity.ERROR]
    tally.add(chunks, found, path.name)
    if broken:
        raise RecordError([f"{len(broken)} findings of severity error; nothing of {path.name} was stored"])
    return held.load(chunks, documents, original=source)


def _store(held: Library, file: Path, cutting: pipeline.Cutting, findings: Iterable[Finding], tally: Tally) -> bool | None:
    """Whether the library changed; None where the document was refused."""
    if cutting.reason:
        errors.print(f"{escape(file.name)}: {cutting.strategy.name}, because {escape(cutting.reason)}")
    tally.add(cutting.chunks, findings, file.name)
    tally.leave(cutting.document)
    broken = sum(finding.severity is Severity.ERROR for finding in findings)
    if broken:
        tally.fail(Failure(str(file), "check", f"{broken} findings of severity error; nothing of it was stored"))
        return None
    try:
        return held.add(cutting.document, cutting.chunks, strategy=cutting.strategy, original=file, terms=cutting.terms)
    except DocumentError as error:
        tally.fail(Failure(str(file), error.stage, error.message, error.page))
        return None


def embed(
    library: opt.LibraryFolder,
    embedder: Annotated[str, typer.Option("--embedder", metavar="NAME", help="What makes the vectors.")] = "nano",
) -> None:
    """Give every chunk of a library its vectors. What has them is left as it is; what was interrupted goes on."""
    with Library(library, create=False) as held:
        _embed(held, embedder)


def _embed(held: Library, embedder: str) -> None:
    windows, made, known, chunks = 0, 0, 0, 0
    try:
        with _Progress(0) as step:
            for state in held.embed(embedder):
                step(state.chunks - chunks, f"{state.made:,} vectors", of=state.of)
                windows += state.finding is not None
                chunks, made, known = state.chunks, state.made, state.known
    finally:
        errors.print(f"{counted(chunks, 'chunk')} embedded: {counted(made, 'vector')} made, {known:,} known by their text")
        if windows:
            errors.print(f"{windows:,} chunks are longer than the embedder's window and have several vectors (EM001)")


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

    def __call__(self, steps: int, name: str = "", of: int | None = None) -> None:
        self._bar.update(self._task, description=name, advance=steps, total=of)


def search(
    query: Annotated[str, typer.Argument(help='What to look for; "in quotation marks" in just that order.', show_default=False)],
    strategy: opt.StrategyName,
    library: Annotated[Path | None, typer.Option("--library", "-l", metavar="DIR", help="The library to search.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="A file to search without a library.", readable=False)
    ] = None,
    k: Annotated[int, typer.Option("-k", metavar="N", help="How many hits.")] = 10,
    where: opt.Where = None,
    whole: Annotated[
        bool | None,
        typer.Option(
            "--whole/--passage",
            help="Show the whole section, pair or other segment of each hit, each once; or the sentences alone that answer "
            "best. Without either: pairs of question and answer whole, sentences of all else.",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(metavar="MODE", help="bm25 (words), dense (meaning), hybrid; auto: hybrid where all chunks have vectors."),
    ] = "auto",
    as_json: opt.AsJson = False,
) -> None:
    """Find chunks, best first, each with a citation that has just been checked against its source."""
    if (library is None) == (file is None):
        raise UsageError("search needs --library DIR or --file FILE, and not both")
    Query(query, k, mode=mode)  # refused before anything is opened
    if library is not None:
        with Library(library, create=False) as held:
            reasons = () if as_json else held.understand(query).reasons
            hits = held.search(query, k=k, where=where, mode=mode)
            passages = [] if as_json or whole else [held.passage(hit, query) for hit in hits]
            segments = [held.hydrate(hit) for hit in hits] if whole else []
    else:
        assert file is not None
        if mode not in ("auto", "bm25"):
            raise UsageError(f"--mode {mode} needs the vectors of a library; a file alone is searched by its words")
        documents = list(pipeline.parse_all(file))
        chunks = [chunk for document in documents for chunk in pipeline.cut(document, strategy).chunks]
        reasons = () if as_json else understand(chunks, query).reasons
        hits = rank(chunks, documents, query, k=k, where=where)
        passages = [hit.citation for hit in hits]
        texts = {document.id: document for document in documents}
        segments = [whole_of(hit, chunks, texts[hit.chunk.document_id]) for hit in hits] if whole else []
    if as_json:
        found = [_hit_json(hit) for hit in hits]
        for record, segment in zip(found, segments, strict=False):
            record["segment"] = segment.to_json()
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    if reasons:
        errors.print(f"[dim]understood: {escape(' · '.join(reasons))}[/]")
    if whole:
        _print_segments(hits, segments)
    else:
        for hit, passage in zip(hits, passages, strict=True):
            if whole is None and hit.chunk.chunk_kind in SHOWN_WHOLE:
                _print_hit(hit, hit.citation, quote=hit.citation.quote)
            else:
                _print_hit(hit, passage)
    if not hits:
        errors.print("no chunk holds any of these words")


def whole_of(hit: Hit, chunks: Sequence[Chunk], document: Document) -> Citation:
    own = [chunk for chunk in chunks if is_beside(hit.chunk, chunk)]
    return whole_segment(hit.chunk, own, document.source.uri, document.text, document.text_hash)


def _print_segments(hits: Sequence[Hit], segments: Sequence[Citation]) -> None:
    """Each segment under its first hit; a later hit of it says so in one line."""
    shown: dict[tuple[str, str], int] = {}
    for hit, segment in zip(hits, segments, strict=True):
        first = shown.setdefault((hit.chunk.document_id, hit.chunk.segment_id), hit.rank)
        if first == hit.rank:
            _print_hit(hit, segment, quote=segment.quote)
        else:
            plain.print(f"[bold]{hit.rank}[/] [dim]{hit.score:.2f}  {hit.chunk.chunk_id}: a part of {first}[/]")


def _hit_json(hit: Hit) -> dict[str, Any]:
    found = {"rank": hit.rank, "score": hit.score, "retriever": hit.retriever, "citation": hit.citation.to_json()}
    return {**found, **hit.chunk.to_record()}


def _print_hit(hit: Hit, passage: Citation, *, quote: str | None = None) -> None:
    where = " · ".join(part for part in (passage.source_name, passage.place()) if part)
    plain.print(f"[bold]{hit.rank}[/] {escape(where)}  [dim]{hit.score:.2f}  {hit.chunk.chunk_id}[/]")
    if passage.headings:
        plain.print(f"  {escape(' › '.join(passage.headings))}")
    mark = " [red]QUARANTINED[/]" if passage.quarantined else ""
    if quote is None:
        plain.print(f"  “{escape(passage.short_quote())}”{mark}")
    else:
        plain.print(f"{textwrap.indent(escape(quote), '  ')}{mark}")


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
    canonical: Annotated[
        bool, typer.Option("--canonical", help="One chunk of several that are equal or records of one entity: the highest tier.")
    ] = False,
) -> None:
    """Write the chunks of a library: JSON Lines, or Parquet where the file's name ends in .parquet."""
    with Library(library, create=False) as held:
        chunks = held.canonical(where) if canonical else held.export(where)
        if output and output.suffix == ".parquet":
            count = _write_parquet(chunks, output)
        else:
            count = 0
            with writer(output) as out:
                for chunk in chunks:
                    out.write(f"{chunk.to_line()}\n")
                    count += 1
    errors.print(f"{counted(count, 'chunk')} written")


def _write_parquet(chunks: Iterable[Chunk], path: Path) -> int:
    """One row a chunk; objects and mixed page ranges stand as JSON strings, since a Parquet column has one type."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", "writing Parquet") from error
    types = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    declared = plugins.declared()
    types |= {"str[]": pa.list_(pa.string()), "int[]": pa.list_(pa.int64())}
    schema = pa.schema([(item.name, types.get(item.type, pa.string())) for item in declared])
    nested = {item.name for item in declared if item.type in {"object", "object[]"}}
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
