"""Names to plug-ins, imported when asked for. What ships in the box stands in the same tables as anyone's.

A third party adds entry points to the groups `pecia.strategies` (`name = module:Class`, with `Options` beside the class),
`pecia.parsers` (`media/type = module:function`) and `pecia.embedders` (`name = module:Class`, made without arguments).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

from pecia.errors import OptionError, UnknownNameError, UnsupportedError
from pecia.model import CORE, Attribute, Chunk, Document, Severity
from pecia.protocols import Detection, Embedder, HasSurfaces, Rule, Strategy

STRATEGIES: Mapping[str, str] = MappingProxyType(
    {
        "token": "pecia.strategies.token.strategy:TokenStrategy",
        "page": "pecia.strategies.page.strategy:PageStrategy",
        "conversation": "pecia.strategies.conversation.strategy:ConversationStrategy",
        "heading": "pecia.strategies.heading.strategy:HeadingStrategy",
        "monograph": "pecia.strategies.monograph.strategy:MonographStrategy",
        "question": "pecia.strategies.question.strategy:QuestionStrategy",
        "entity": "pecia.strategies.entity.strategy:EntityStrategy",
        "registry": "pecia.strategies.registry.strategy:RegistryStrategy",
        "website": "pecia.strategies.website.strategy:WebsiteStrategy",
    }
)
PARSERS: Mapping[str, str] = MappingProxyType(
    {
        "application/pdf": "pecia.parsing.pdf:parse",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "pecia.parsing.docx.reader:parse_docx",
        "application/json": "pecia.parsing.json.reader:parse_json",
        "application/xml": "pecia.parsing.xml:parse_xml",
        "application/yaml": "pecia.parsing.yaml.reader:parse_yaml",
        "text/csv": "pecia.parsing.csv.reader:parse_csv",
        "text/html": "pecia.parsing.html.reader:parse_html",
        "text/tab-separated-values": "pecia.parsing.csv.reader:parse_csv",
        "text/markdown": "pecia.parsing.markdown:parse_markdown",
        "text/plain": "pecia.parsing.text:parse_text",
    }
)
EMBEDDERS: Mapping[str, str] = MappingProxyType(
    {
        "nano": "pecia.embedding.nano:NanoEmbedder",
        "bge-m3": "pecia.embedding.bge_m3:BgeM3Embedder",
        "endpoint": "pecia.embedding.endpoint:EndpointEmbedder",
    }
)
PICTURES: Mapping[str, str] = MappingProxyType({"application/pdf": "pecia.parsing.pdf:picture"})
EXCERPTS: Mapping[str, str] = MappingProxyType({"application/pdf": "pecia.parsing.pdf:excerpt"})
# What finds in a moment that a file cannot be read, as where it wants a password; other formats are parsed to know.
PROBES: Mapping[str, str] = MappingProxyType(
    {
        "application/pdf": "pecia.parsing.pdf:probe",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "pecia.parsing.docx.reader:probe",
    }
)
AUTO = "auto"


@cache
def _table(group: str) -> Mapping[str, str]:
    shipped = {"pecia.strategies": STRATEGIES, "pecia.parsers": PARSERS, "pecia.embedders": EMBEDDERS}[group]
    return {**shipped, **{point.name: point.value for point in entry_points(group=group)}}


def picture_path(media_type: str) -> str:
    """`module:function` of what draws marked pages of a media type."""
    if media_type not in PICTURES:
        raise UnsupportedError(f"no picture can be made of {media_type}; only of {', '.join(PICTURES)}")
    return PICTURES[media_type]


def excerpt_path(media_type: str) -> str:
    """`module:function` of what writes some pages of a media type as a file of their own."""
    if media_type not in EXCERPTS:
        raise UnsupportedError(f"{media_type} has no pages to take out; {', '.join(EXCERPTS)} has")
    return EXCERPTS[media_type]


def strategy_names() -> tuple[str, ...]:
    return tuple(_table("pecia.strategies"))


def embedder(name: str) -> Embedder:
    """A new embedder of that name; MissingExtraError where what it needs is not installed."""
    table = _table("pecia.embedders")
    if name not in table:
        raise UnknownNameError("embedder", name, table)
    module, _, attribute = table[name].partition(":")
    made: Embedder = getattr(importlib.import_module(module), attribute)()
    return made


def parser_path(media_type: str) -> str:
    """`module:function` of the parser for a media type."""
    parsers = _table("pecia.parsers")
    if media_type not in parsers:
        raise UnsupportedError(f"no parser reads {media_type}; there are parsers for {', '.join(sorted(parsers))}")
    return parsers[media_type]


def _strategy_module(name: str) -> tuple[Any, str]:
    table = _table("pecia.strategies")
    if name not in table:
        raise UnknownNameError("strategy", name, (*table, AUTO))
    module, _, attribute = table[name].partition(":")
    return importlib.import_module(module), attribute


def options_class(name: str) -> Any:
    """The options of a strategy: a dataclass that stands as `Options` beside it."""
    return _strategy_module(name)[0].Options


def strategy(name: str, **options: Any) -> Strategy:
    """The strategy of that name with these options; OptionError names the options that there are."""
    module, attribute = _strategy_module(name)
    known = {item.name for item in fields(module.Options) if item.init}
    if unknown := sorted(options.keys() - known):
        raise OptionError(f"strategy {name} has no option {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    made: Strategy = getattr(module, attribute)(module.Options(**_fitting(module.Options, options)))
    return made


def _fitting(options_class: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """A ceiling given alone pulls the defaults under it, in proportion; what was given stays as it is."""
    given, defaults = dict(options), options_class()
    ceiling = given.get("max_tokens")
    if type(ceiling) is int and 0 < ceiling < defaults.max_tokens:
        for name, least in (("target_tokens", 1), ("overlap_tokens", 0)):
            given.setdefault(name, max(least, getattr(defaults, name) * ceiling // defaults.max_tokens))
    return given


def surfaces(chunk: Chunk) -> Mapping[str, str]:
    """The texts by which a chunk is found, by name: those that its strategy gives, else its text under the name ""."""
    own = _surfacing(chunk.strategy)
    return own.surfaces(chunk) if own else {"": chunk.text}


@cache
def _surfacing(name: str) -> HasSurfaces | None:
    """The strategy of that name where it gives surfaces; a chunk may be of one that is not installed here."""
    found = strategy(name) if name in _table("pecia.strategies") else None
    return found if isinstance(found, HasSurfaces) else None


def detections(document: Document) -> list[tuple[str, Detection]]:
    """What each strategy says of a document, the surest first."""
    found = [(name, strategy(name).detect(document)) for name in strategy_names()]
    return sorted(found, key=lambda item: -item[1].score)


def choose(document: Document) -> tuple[str, Detection]:
    """The strategy that says it suits the document best, with its reason."""
    return detections(document)[0]


@cache
def attributes() -> tuple[Attribute, ...]:
    """The attributes that strategies declare; OptionError where two mean different things by one name."""
    declared = {attribute.name: attribute for attribute in CORE}
    for name in strategy_names():
        for attribute in strategy(name).attributes:
            if declared.setdefault(attribute.name, attribute) != attribute:
                raise OptionError(f"strategy {name} declares {attribute.name} in another sense than before")
    return tuple(attribute for attribute in declared.values() if attribute not in CORE)


@cache
def required() -> Mapping[str, tuple[Attribute, ...]]:
    """The attributes that a record of each strategy must have a value for."""
    names = strategy_names()
    return {name: tuple(item for item in strategy(name).attributes if item.required != "never") for name in names}


def declared() -> tuple[Attribute, ...]:
    """Every field that a record may have: the core, then what strategies add."""
    return (*CORE, *attributes())


CODES = (
    "pecia.storing.checks:CODES",
    "pecia.records:CODES",
    "pecia.parsing.decode:CODES",
    "pecia.parsing.csv.reader:CODES",
    "pecia.parsing.html.reader:CODES",
    "pecia.parsing.yaml.reader:CODES",
    "pecia.parsing.chat.reader:CODES",
    "pecia.parsing.xml:CODES",
    "pecia.parsing.pdf.findings:CODES",
    "pecia.parsing.ocr.findings:CODES",
    "pecia.vision:CODES",
)


@cache
def codes() -> Mapping[str, tuple[Severity, str]]:
    """Severity and text of every code that a finding may bear: laws, rules of strategies, parsers, the library."""
    from pecia.checking.engine import explained  # the laws bring the sentence rules with them, 45 ms

    found = dict(explained(rules()))
    for path in CODES:
        module, _, name = path.partition(":")
        found |= getattr(importlib.import_module(module), name)
    return found


@cache
def rules() -> tuple[Rule, ...]:
    """The rules that strategies add to the laws."""
    return tuple({rule.code: rule for name in strategy_names() for rule in strategy(name).rules}.values())
