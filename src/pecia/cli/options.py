"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pecia.errors import OptionError
from pecia.settings import settings

# `readable=False`: a file that may not be read is told as every other that cannot be, and ends no run of several.
File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A PDF, DOCX, HTML, XML, Markdown or text file.", readable=False, show_default=False),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write here; standard output if not given.")]
ANY_STRATEGY = typer.Option("--strategy", "-s", metavar="NAME", help="What to cut along; `pecia strategies` lists them.")
StrategyName = Annotated[
    str,
    typer.Option(
        "--strategy", "-s", metavar="NAME", help=ANY_STRATEGY.help, default_factory=lambda: settings().default_chunking_strategy,
        show_default="token, or DEFAULT_CHUNKING_STRATEGY",
    ),
]  # fmt: skip
MaxTokens = Annotated[
    int | None, typer.Option(metavar="N", help="Ceiling of a chunk, context included.", show_default="the strategy's")
]
TargetTokens = Annotated[int | None, typer.Option(metavar="N", help="Size aimed at.", show_default="the strategy's")]
OverlapTokens = Annotated[
    int | None, typer.Option(metavar="N", help="At most this much is repeated.", show_default="the strategy's")
]
Tokenizer = Annotated[
    str | None, typer.Option(metavar="NAME", help="cl100k_base, estimate, or FILE.json.", show_default="cl100k_base")
]
Others = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Any other option of the strategy; may be repeated.")
]
Judge = Annotated[bool, typer.Option("--judge", help="Ask a model about doubtful pairs (--strategy question).")]
Entities = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="A file of known entities (CSV, YAML, JSON) whose names are looked for; may be repeated."),
]
Screenshots = Annotated[Path | None, typer.Option(metavar="DIR", help="Also write a picture of each page here (PDF).")]
Artifacts = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Also write pictures of pages and their images here, named in the pages (PDF).")
]
LibraryFolder = Annotated[Path, typer.Option("--library", "-l", metavar="DIR", help="The library's folder.", show_default=False)]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", "-w", metavar="FILTER", help="key=value, key!=value, key^=prefix, key>=n, key<=n; all must hold."),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for programs.")]


def strategy_options(
    max_tokens: int | None,
    target_tokens: int | None,
    overlap_tokens: int | None,
    tokenizer: str | None,
    others: list[str] | None,
    entities: list[Path] | None = None,
    *,
    judge: bool = False,
) -> dict[str, Any]:
    """The options that were given, by name."""
    given: dict[str, Any] = {
        "max_tokens": max_tokens,
        "target_tokens": target_tokens,
        "overlap_tokens": overlap_tokens,
        "tokenizer": tokenizer,
        "judge": judge or None,
        "entities": tuple(map(str, entities)) if entities else None,
    }
    for pair in others or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise OptionError(f"--option {pair!r}: NAME=VALUE is needed")
        given[name.replace("-", "_")] = _value(value)
    return {name: value for name, value in given.items() if value is not None}


def _value(text: str) -> Any:
    """A whole number, a truth value, or the string with its \\n and \\t resolved."""
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if text.lstrip("-").isascii() and text.lstrip("-").isdigit():
        return int(text)
    return text.replace("\\n", "\n").replace("\\t", "\t")
