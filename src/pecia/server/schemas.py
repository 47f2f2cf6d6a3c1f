"""The bodies of the API, for its description: what is asked, what comes back, each with an example."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from pecia import plugins
from pecia.library import RETRIEVER
from pecia.model import CORE, Attribute
from pecia.model.chunk import NULLABLE

ENTRY = "9f2c41d07ab3e658-question-5d0c77e1"
CHUNK = "86c1f0d2b7d8a1d5f46f"
JOB = "4be1d94c0a7f3326"


class ErrorDetail(BaseModel):
    code: str = Field(description="the class of the error, for programs", examples=["unknown_name"])
    message: str = Field(
        description="one line for a person", examples=["no strategy is called 'tokens'; known: auto, page, token"]
    )
    known: list[str] = Field(
        default=[], description="where a name is unknown, the known ones", examples=[["auto", "page", "token"]]
    )


class Error(BaseModel):
    """Every error of the service has this shape."""

    error: ErrorDetail


class FileOfJob(BaseModel):
    name: str = Field(examples=["supplementary-paper.pdf"])
    bytes: int = Field(examples=[48211])
    state: str = Field(description="queued, running, done, failed or cancelled", examples=["running"])
    stage: str = Field(description="parse, chunk, check or store; empty before the first", examples=["parse"])
    page: int = Field(description="pages read so far", examples=[12])
    pages: int = Field(description="pages in all; 0 while that is not known", examples=[40])
    error: str = Field(description="one line where it failed", examples=[""])
    reason: str = Field(description="where auto chose the strategy, why that one", examples=[""])
    documents: list[str] = Field(description="ids of the documents that came of it", examples=[[ENTRY]])
    changed: bool = Field(description="false where the library held the same already", examples=[True])


class Job(BaseModel):
    id: str = Field(examples=[JOB])
    state: str = Field(description="queued, running, done, failed or cancelled", examples=["running"])
    strategy: str = Field(examples=["question"])
    options: dict[str, Any] = Field(description="the options that were given", examples=[{"max_tokens": 800}])
    created_at: str = Field(examples=["2026-11-30T09:12:44Z"])
    files: list[FileOfJob]


class Jobs(BaseModel):
    jobs: list[Job]


class DocumentEntry(BaseModel):
    """A file under one strategy and one set of options."""

    id: str = Field(examples=[ENTRY])
    source_name: str = Field(examples=["supplementary-paper.pdf"])
    title: str | None = Field(
        description="what it is called where its file holds several documents, as a chat export does", examples=[None]
    )
    strategy: str = Field(description="the strategy that was asked for", examples=["question"])
    options: dict[str, Any] = Field(examples=[{"max_tokens": 3000, "target_tokens": 2000}])
    chunk_count: int = Field(examples=[23])
    findings: int | None = Field(description="null where the document came by another way than the service", examples=[2])
    page_count: int | None = Field(description="null where the format has no pages", examples=[12])
    uploaded_at: str | None = Field(examples=["2026-11-30T09:12:44Z"])
    document_id: str = Field(description="SHA-256 of the bytes", examples=["9f2c41d07ab3e658" + "0" * 48])
    media_type: str = Field(examples=["application/pdf"])


class Documents(BaseModel):
    documents: list[DocumentEntry]
    next: str | None = Field(description="give it as `after` to go on", examples=["118"])
    total: int = Field(examples=[240])


class FindingRecord(BaseModel):
    rule: str = Field(examples=["LAW401"])
    severity: str = Field(examples=["warning"])
    message: str = Field(examples=["the chunk begins in mid-sentence"])
    chunk_id: str | None = Field(examples=[CHUNK])
    start: int | None = Field(examples=[120])
    end: int | None = Field(examples=[180])


class PageShape(BaseModel):
    number: int = Field(description="physical, from 1", examples=[1])
    label: str | None = Field(description="as printed", examples=["iii"])
    width: float = Field(description="points", examples=[595.28])
    height: float = Field(examples=[841.89])


class DocumentDetail(DocumentEntry):
    finding_list: list[FindingRecord] = Field(description="the first 500")
    pages: list[PageShape]


class Deleted(BaseModel):
    chunks: int = Field(description="chunks that went", examples=[23])


_TYPES: dict[str, Any] = {
    "str": str, "int": int, "float": float, "bool": bool, "str[]": list[str], "int[]": list[int],
    "object": dict[str, Any], "object[]": list[dict[str, Any]],
}  # fmt: skip


def _fields(attributes: tuple[Attribute, ...], *, core: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for item in attributes:
        kind = list[Any] if item.name in NULLABLE and item.type == "object[]" else _TYPES[item.type]
        if core and item.name not in NULLABLE:
            fields[item.name] = (kind, Field(description=item.meaning))
        else:
            fields[item.name] = (kind | None, Field(default=None, description=item.meaning))
    return fields


ChunkRecord = create_model(
    "ChunkRecord",
    __config__=ConfigDict(
        title="ChunkRecord", json_schema_extra={"description": "One chunk; attributes of its strategy beside the core."}
    ),
    **(_fields(CORE, core=True) | _fields(plugins.attributes(), core=False)),
)


class Place(BaseModel):
    kind: str = Field(description="page, lines, xpath, cell, pointer or paragraph", examples=["page"])
    model_config = ConfigDict(extra="allow")


class CitationRecord(BaseModel):
    uri: str = Field(
        description="where the source can be had, at its page", examples=[f"/api/v1/documents/{ENTRY}/source#page=3"]
    )
    source_name: str = Field(examples=["supplementary-paper.pdf"])
    headings: list[str] = Field(examples=[["Transport", "Ferries"]])
    source_page_range: list[int] | None = Field(description="physical, counted from 0", examples=[[2, 2]])
    printed_page_range: list[int | str] | None = Field(examples=[["3", "3"]])
    regions: list[Place]
    quote: str = Field(examples=["The last ferry leaves at 22:40."])
    quarantined: bool = Field(examples=[False])
    text: str = Field(
        description="the citation as a person writes it",
        examples=["Transport · Ferries · supplementary-paper.pdf · p. 3 (PDF page 3) · “The last ferry leaves at 22:40.”"],
    )


class Chunks(BaseModel):
    chunks: list[ChunkRecord]  # type: ignore[valid-type]
    next: int | None = Field(description="give it as `start` to go on", examples=[None])
    total: int = Field(examples=[23])


class ChunkDetail(BaseModel):
    chunk: ChunkRecord  # type: ignore[valid-type]
    citation: CitationRecord
    document: str = Field(description="id of the document", examples=[ENTRY])
    position: int = Field(description="in the document, from 0", examples=[4])


class SearchRequest(BaseModel):
    """`where` is a list of conditions (`key=value`, `key!=value`, `key^=prefix`, `key>=n`, `key<=n`), or an object of
    attributes to values or lists of values."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"query": "when does the last ferry leave", "k": 5, "where": ["has_table=false"]}]},
    )
    query: str = Field(max_length=2000)
    mode: str | None = Field(default=None, description="the best one of this service where not given", examples=[RETRIEVER])
    k: int = Field(default=10, ge=1, le=100)
    where: list[str] | dict[str, Any] | None = None
    document: str | None = Field(default=None, description="id of the one document to search", examples=[None])


class HitRecord(BaseModel):
    rank: int = Field(examples=[1])
    score: float = Field(examples=[12.73])
    retriever: str = Field(examples=[RETRIEVER])
    document: str = Field(examples=[ENTRY])
    chunk: ChunkRecord  # type: ignore[valid-type]
    citation: CitationRecord
    passage: CitationRecord = Field(description="the sentences of the chunk that answer best")


class Hits(BaseModel):
    hits: list[HitRecord]


class StrategyRecord(BaseModel):
    name: str = Field(examples=["page"])
    summary: str = Field(examples=["physical pages, sentence-aware inside. No chunk crosses a page."])
    default: bool = Field(examples=[False])
    options: dict[str, Any] = Field(
        description="JSON Schema",
        examples=[{"type": "object", "properties": {"max_tokens": {"type": "integer", "default": 512}}}],
    )
    attributes: list[dict[str, str]]
    rules: list[str] = Field(examples=[["QA201"]])


class Strategies(BaseModel):
    strategies: list[StrategyRecord]
    modes: list[str] = Field(examples=[[RETRIEVER]])


class Suggestion(BaseModel):
    strategy: str = Field(examples=["question"])
    score: float = Field(description="from 0 to 1", examples=[0.9])
    reason: str = Field(examples=["23 pairs of question and answer"])


class PreviewedDocument(BaseModel):
    source_name: str = Field(examples=["supplementary-paper.pdf"])
    strategy: str = Field(examples=["auto"])
    cut_by: str = Field(examples=["question"])
    reason: str = Field(examples=["23 pairs of question and answer"])
    page_count: int = Field(examples=[12])
    chunk_count: int = Field(examples=[23])
    chunks: list[ChunkRecord] = Field(description="the first 200")  # type: ignore[valid-type]
    finding_count: int = Field(examples=[2])
    findings: list[FindingRecord] = Field(description="the first 100")
    suggestions: list[Suggestion] = Field(description="what each strategy says of the document, the surest first")


class Preview(BaseModel):
    documents: list[PreviewedDocument]


class Health(BaseModel):
    status: str = Field(examples=["ok"])
    version: str = Field(examples=["0.1.0"])


class SettingsRecord(BaseModel):
    """Settings in force by name; secrets are not among them."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [{"max_pages": 5000}]})
