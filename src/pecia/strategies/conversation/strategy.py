"""Strategy `conversation`: the messages of a chat export, each a chunk that names its sender and the entities it speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.entities import EntityOptions
from pecia.chunking.limits import TEXT, HashesOptions
from pecia.chunking.packer import Piece, Stretch, context_text, packer_for
from pecia.chunking.records import Recorder
from pecia.errors import OptionError
from pecia.heritage.attributes import MENTIONS, POINTER, UNIVERSAL, universal
from pecia.heritage.gazetteer import Gazetteer
from pecia.heritage.mentions import Mentions
from pecia.model import Attribute, Chunk, ChunkKind, Document, Segment
from pecia.protocols import Detection, Link, Rule
from pecia.strategies.conversation.rules import RULES
from pecia.strategies.conversation.segmenter import messages, segments, told
from pecia.text.languages import language_of
from pecia.text.tokens import index_of

ATTRIBUTES = (
    Attribute("conversation_id", "str", "what the export calls the conversation"),
    Attribute("message_index", "int", "number of the message in its conversation, from 0"),
    Attribute("message_uuid", "str", "what the export calls the message"),
    Attribute("sender", "str", "who wrote it, as the export says: human, assistant, user…"),
    Attribute("created_at", "str", "when, as the export says"),
    POINTER,
    *MENTIONS,
    *UNIVERSAL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(EntityOptions):
    """A message is one chunk up to max_tokens; a longer one is cut at its paragraphs, near target_tokens.

    entities: files of known entities, whose names are looked for. join_short: true joins messages under 100 characters to the
    long one that follows; else they are left out. extraction_date: when the export was made.
    """

    max_tokens: int = 1000
    target_tokens: int = 500
    overlap_tokens: int = 100
    join_short: bool = False
    extraction_date: str = field(default="", metadata=TEXT)

    def __post_init__(self) -> None:
        EntityOptions.__post_init__(self)
        if not isinstance(self.join_short, bool):
            raise OptionError(f"join_short is {self.join_short!r}; true or false is needed")


@dataclass(frozen=True, slots=True)
class ConversationStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "conversation"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    rules: tuple[Rule, ...] = RULES

    def detect(self, document: Document) -> Detection:
        count = sum(1 for _ in messages(document))
        if not count:
            return Detection(0.0, "no messages")
        return Detection(0.97, f"a conversation of {count} message{'s' * (count != 1)}")

    def segment(self, document: Document) -> Iterator[Segment]:
        """One segment a message; those under 100 characters are left out, or joined to their neighbours."""
        yield from segments(document, join_short=self.options.join_short)

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        packer = packer_for(document, self.options, DocumentBoundaries(document))
        index = index_of(self.options.tokenizer, document.text)
        record = Recorder(document, self.name, self.options)
        said = told(document)
        link = self.link(document, self.options.known())
        shared = {"conversation_id": said.get("conversation_id"), "language": language_of(document.text)}
        for segment in segments:
            labels = (*segment.headings, segment.title) if segment.key == "message" else ()
            whole = index.count(segment.span.start, segment.span.end)
            if whole <= self.options.max_tokens < index.count(segment.span.start, segment.span.end, context_text(labels)):
                labels = ()  # the message fits, and is worth more in one piece than its title
            yield from record(
                segment,
                packer(Stretch(segment.span, labels)),
                kind=ChunkKind.MESSAGE if segment.key == "message" else ChunkKind.PROSE,
                attributes=lambda piece, of=segment.attributes: link(piece.span, self._attributes(document, piece, of, shared)),  # type: ignore[misc]
            )

    def link(self, document: Document, known: Gazetteer) -> Link:
        """What makes of the attributes of a chunk those that name entities."""
        return Mentions(known, document.text, told(document).get("title", "")).link

    def _attributes(
        self, document: Document, piece: Piece, of: Mapping[str, Any], shared: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        return {
            **universal(
                "conversation",
                source_id=shared["conversation_id"] or document.source.name,
                primary_class="Context",
                language=language_of(piece.span.of(document.text)) or shared["language"],
                extraction_date=self.options.extraction_date or None,
            ),
            "conversation_id": shared["conversation_id"],
            **{name: of.get(name) for name in ("message_index", "message_uuid", "sender", "created_at", "json_pointer")},
        }
