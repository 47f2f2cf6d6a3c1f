"""parse, segment, chunk, check."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.tree import Tree

from pecia import pipeline, plugins, records
from pecia.cli import options as opt
from pecia.cli.output import Tally, counted, errors, escape, plain, report, working, writer
from pecia.errors import InvariantError, RecordError, UsageError
from pecia.model import Chunk, Document, Finding, LeftOut, Segment, Severity, Span, described
from pecia.vision import read_tables


def parse(file: opt.File, output: opt.Output = None, artifacts: opt.Artifacts = None) -> None:
    """Read a file into a document: text, pages, blocks, furniture, tables, as JSON."""
    tally = Tally()
    with writer(output) as out, working(file.name):
        for document in pipeline.parse_all(file, screenshots=artifacts):
            record = document.to_json()
            if artifacts:
                from pecia.showing.artifacts import extract

                for page, pictures in zip(record["pages"], extract(document, artifacts), strict=True):
                    page.update(pictures)
            out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
            tally.add((), document.findings)
            if tally.documents <= _SHOWN:
                _say_shape(document)
    if tally.documents > _SHOWN:
        errors.print(f"{escape(file.name)}: {tally.documents:,} documents, of which {_SHOWN} are shown")
    raise typer.Exit(1 if tally.findings[Severity.ERROR] else 0)


_SHOWN = 20  # documents of a container


def _say_shape(document: Document) -> None:
    ledger = document.ledger()
    dropped = f" · {sum(item.size for item in ledger.dropped)} dropped" if ledger.dropped else ""
    name = escape(document.source.name)
    errors.print(
        f"{name}: {len(document.pages)} pages · {len(document.text):,} characters · {len(document.blocks)} blocks"
        f" · {len(document.furniture)} furniture · {len(document.tables)} tables{dropped} · {ledger.missing} unaccounted for"
    )


def segment(
    file: opt.File,
    strategy: opt.StrategyName,
    as_json: opt.AsJson = False,
    max_tokens: opt.MaxTokens = None,
    target_tokens: opt.TargetTokens = None,
    option: opt.Others = None,
    entities: opt.Entities = None,
) -> None:
    """Show the parts that a strategy finds in a file."""
    given = opt.strategy_options(max_tokens, target_tokens, None, None, option, entities)
    for document in pipeline.parse_all(file):
        name, reason = _resolve(document, strategy)
        found = list(plugins.strategy(name, **given).segment(document))
        if as_json:
            for item in found:
                typer.echo(json.dumps({"document_id": document.id, **item.to_json()}, ensure_ascii=False))
            continue
        tree = Tree(f"{escape(document.source.name)} · {name}{reason}")
        branches: dict[tuple[str, ...], Tree] = {(): tree}
        for item in found:
            parent = _branch(branches, item.headings)
            pages = document.pages_of(item.span)
            place = f"PDF page {pages[0].number}" if pages else described(document.locate(item.span).locators[:1])
            out = f" · left out: {item.left_out_reason.value}" if item.left_out_reason else ""
            title = escape(item.title) or item.key
            branches[(*item.headings, item.title)] = parent.add(
                f"{title} [dim]{item.id} · {place} · {len(item.span):,} characters{out}[/]"
            )
        plain.print(tree, soft_wrap=False)


def _branch(branches: dict[tuple[str, ...], Tree], path: tuple[str, ...]) -> Tree:
    """The branch for a path of titles; made where a title has no segment of its own."""
    if path not in branches:
        branches[path] = _branch(branches, path[:-1]).add(escape(path[-1]))
    return branches[path]


def _resolve(document: Document, strategy: str) -> tuple[str, str]:
    if strategy != plugins.AUTO:
        return strategy, ""
    name, detection = plugins.choose(document)
    return name, f" (auto: {detection.reason})"


def chunk(
    file: opt.File,
    strategy: opt.StrategyName,
    output: opt.Output = None,
    max_tokens: opt.MaxTokens = None,
    target_tokens: opt.TargetTokens = None,
    overlap_tokens: opt.OverlapTokens = None,
    tokenizer: opt.Tokenizer = None,
    option: opt.Others = None,
    judge: opt.Judge = False,
    entities: opt.Entities = None,
    left_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the spans that are left out, with reasons.")
    ] = None,
    screenshots: opt.Screenshots = None,
) -> None:
    """Cut a file into chunks: one JSON record a line, each an exact span."""
    given = opt.strategy_options(max_tokens, target_tokens, overlap_tokens, tokenizer, option, entities, judge=judge)
    if strategy != plugins.AUTO:
        plugins.strategy(strategy, **given)  # wrong options are refused before the file is read
    tally, between = Tally(), "["
    with writer(output) as out, writer(left_out) if left_out else nullcontext() as spans, working(file.name):

        def written(document: Document) -> Iterator[Finding]:
            """Writes part after part, and tells what is found in each."""
            nonlocal between
            for part in pipeline.cut_in_parts(document, strategy, **given):
                cutting = read_tables(part, file)
                if cutting.reason:
                    errors.print(f"auto: {cutting.strategy.name}, because {cutting.reason}")
                out.writelines(f"{chunk.to_line()}\n" for chunk in cutting.chunks)
                tally.count(cutting.chunks)
                if spans is not None:  # written as they come: a container may leave out a million
                    for item in cutting.left_out:
                        spans.write(between + json.dumps(_left_out_json(document, item), ensure_ascii=False))
                        between = ", "
                yield from cutting.findings()

        gc.freeze()  # what is imported stays: not to look through it for garbage again and again saves 8 % on a million rows
        for document in pipeline.parse_all(file, screenshots=screenshots):
            tally.add((), written(document))
            tally.leave(document)
        if spans is not None:
            spans.write("]" if between != "[" else "[]")
    raise typer.Exit(tally.close())


def _left_out_json(document: Document, item: Segment) -> dict[str, Any]:
    return {"document_id": document.id, "start": item.span.start, "end": item.span.end, "reason": item.left_out_reason}


def check(
    chunks: Annotated[Path, typer.Argument(metavar="CHUNKS.jsonl", help="What `pecia chunk` wrote.", show_default=False)],
    source: Annotated[Path, typer.Option(metavar="FILE", help="The file that was cut.", show_default=False)],
    left_out: Annotated[Path | None, typer.Option(metavar="FILE", help="What `--left-out` wrote.")] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Parse the source again and prove every chunk against it. Exit 1 where a law or rule is broken."""
    found, broken = read_chunks(chunks)
    reasons = _read_left_out(left_out) if left_out else []
    findings = list(broken)
    used = {rule.code: rule for name in {chunk.strategy for chunk in found} for rule in plugins.strategy(name).rules}
    checked = 0
    for document in pipeline.parse_all(source):
        own = [chunk for chunk in found if chunk.document_id == document.id]
        out = [segment for owner, segment in reasons if owner in (None, document.id)]
        findings += pipeline.check(document, own, tuple(used.values()), left_out=out)
        checked += len(own)
    if checked < len(found):
        message = f"{len(found) - checked} chunks are of another document than {source.name}"
        findings.append(Finding("LAW502", Severity.ERROR, message))
    counts = report(findings, as_json=as_json)
    total, wrong = sum(counts.values()), counts[Severity.ERROR]
    errors.print(
        f"{counted(checked, 'chunk')} checked against {source.name} · {counted(total, 'finding')}, {wrong} of them errors"
    )
    raise typer.Exit(1 if counts[Severity.ERROR] else 0)


def read_chunks(path: Path) -> tuple[list[Chunk], list[Finding]]:
    """The chunks of a JSON Lines file, and a finding for each line that is not one."""
    found, broken = [], []
    for number, record in records.lines(path):
        try:
            found.append(Chunk.from_record(record, plugins.attributes()))
        except RecordError as error:
            identity = record.get("chunk_id")
            name = identity if isinstance(identity, str) else None
            broken += [Finding("LAW001", Severity.ERROR, f"line {number}: {fault}", name) for fault in error.faults]
    return found, broken


def _read_left_out(path: Path) -> list[tuple[str | None, Segment]]:
    """(document id, segment) of what was left out."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return [
            (
                item.get("document_id"),
                Segment("left-out", "", "", Span(item["start"], item["end"]), left_out_reason=LeftOut(item["reason"])),
            )
            for item in data
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, InvariantError) as error:
        raise UsageError(f"{path} is not what --left-out writes: {str(error)[:200]}") from error
