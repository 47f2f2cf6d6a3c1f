"""The one place for defaults that are not a strategy's own.

Each has one name, in capitals: set it in the environment, in a file `.env` or in a file `pecia.toml` of the folder that pecia
is started in; the first of these that has it counts. pydantic-settings reads and checks what is given. It takes 0.1 s to
load, half of what a short command takes, so where nothing is given it is not loaded.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints
from urllib.parse import urlsplit

from pecia.errors import OptionError

if TYPE_CHECKING:
    from pydantic import PositiveInt, SecretStr
    from pydantic_settings import BaseSettings

ENVIRONMENT, DOTENV, TOML = "environment", ".env", "pecia.toml"
_BARE = ("default_", "qa_", "llm_", "embed_")  # these bear their own names; all others have PECIA_ before them
SECRETS = frozenset({"llm_api_key", "embed_api_key", "serve_key"})  # never shown, printed or logged
SECRET = "********"


@dataclass(frozen=True, slots=True)
class Settings:
    """Sizes in bytes, times in seconds."""

    tokenizer: str = "cl100k_base"
    # A 2,000-page scan with images is about 400 MB; a file above the limit is refused before it is read.
    max_file_bytes: PositiveInt = 1 << 30
    # 2,000 pages at the slowest rate measured (40 pages/s) take 50 s; ten times that means that something is wrong.
    parse_seconds: PositiveInt = 600
    # Address space of a parser's child process. A PDF of 2,000 full pages stays below 400 MiB.
    parse_memory_bytes: PositiveInt = 4 << 30
    # What becomes of pages without usable text, where the extra `ocr` is installed: auto (read), off, force (every page).
    ocr: Literal["auto", "off", "force"] = "auto"
    # Where replies of models are kept; empty: the folder for caches of this user.
    cache_folder: str = ""
    default_chunking_strategy: str = "token"
    # Tables that geometry cannot settle are shown to a model, where there is an endpoint.
    qa_vision_enabled: bool = True
    qa_max_chunk_tokens: PositiveInt = 3000
    # The model that judges doubtful pairs; empty: LLM_MODEL_NAME.
    qa_verification_model: str = ""
    qa_include_internal_refs: bool = True
    qa_cache_vision_results: bool = True
    # Any endpoint that speaks the OpenAI protocol, up to and with its /v1. Empty: no model is asked.
    llm_base_url: str = ""
    llm_api_key: SecretStr | None = None
    llm_model_name: str = ""
    # One request, all tries of it together; a page image takes a large model about half a minute.
    llm_seconds: PositiveInt = 180
    # The embedder `endpoint`: an endpoint of its own, since few servers do both; its key is sent to no other.
    embed_base_url: str = ""
    embed_api_key: SecretStr | None = None
    embed_model_name: str = ""
    # What counts the tokens of its texts: cl100k_base is that of OpenAI's models, else the model's own tokenizer.json.
    embed_tokenizer: str = "cl100k_base"
    # Tokens that the model reads; 512 is the least that is usual.
    embed_window: PositiveInt = 512
    # What stands before a question and before what is searched, as the model's makers say.
    embed_query_prefix: str = ""
    embed_passage_prefix: str = ""
    # The folder with the weights of the embedder `bge-m3`.
    bge_m3_folder: str = ""
    # A book of 2,000 pages is the largest known here; the service refuses more than twice that.
    max_pages: PositiveInt = 5000
    # Of one request to the service: files, and bytes of all of them together.
    upload_files: PositiveInt = 50
    upload_bytes: PositiveInt = 1 << 30
    # Files that may wait in the service's queue; more are refused until it is shorter.
    queue_files: PositiveInt = 2000
    # Time for one file from its first page to its last finding; a book of 2,000 pages takes 90 s, a scan of 200 as long.
    cut_seconds: PositiveInt = 1800
    # Time for a preview, for which somebody waits.
    preview_seconds: PositiveInt = 120
    # The service answers other machines only to those who have this key; 16 characters at least.
    serve_key: SecretStr | None = None

    def __post_init__(self) -> None:
        for name, address in (("LLM", self.llm_base_url), ("EMBED", self.embed_base_url)):
            if address and (fault := _address_fault(address, name)):
                raise OptionError(f"{name}_BASE_URL {fault}")

    def secret(self, name: str) -> str:
        """A secret in plain text, for the place that needs it and for nothing else; empty where it is not set."""
        held: SecretStr | None = getattr(self, name)
        return held.get_secret_value() if held else ""

    @property
    def caches(self) -> Path:
        """The folder for what can be made again."""
        if self.cache_folder:
            return Path(self.cache_folder)
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pecia"


def variable(name: str) -> str:
    """The name under which a field is set."""
    return name.upper() if name.startswith(_BARE) else f"PECIA_{name.upper()}"


VARIABLES: Mapping[str, str] = {variable(item.name): item.name for item in fields(Settings)}


@cache
def settings() -> Settings:
    """The settings of this process, read once; OptionError where a value is impossible."""
    return Settings(**_given())


def in_force() -> Iterator[tuple[str, str, str]]:
    """(name, value as shown, where it is from) of every setting; a secret is never shown."""
    held, origins = settings(), _origins()
    for name, field in VARIABLES.items():
        value = getattr(held, field)
        shown = SECRET if field in SECRETS and value else str(value if value is not None else "")
        yield name, shown.lower() if isinstance(value, bool) else shown, origins.get(name, "default")


def _given() -> dict[str, Any]:
    """The fields that are set somewhere, checked."""
    if not (any(map(os.environ.get, VARIABLES)) or any(Path(name).is_file() for name in (DOTENV, TOML))):
        return {}
    from pydantic import ValidationError

    try:
        made = _model()()
    except ValidationError as error:
        # Not `from error`: it holds what was given, secrets too.
        raise OptionError("; ".join(_told(item) for item in error.errors(include_url=False))) from None
    except ValueError as error:  # a .env that is no UTF-8
        raise OptionError(f"{DOTENV} cannot be read: {type(error).__name__}") from None
    return {name: getattr(made, name) for name in made.model_fields_set}


@cache
def _model() -> type[BaseSettings]:
    """The fields of `Settings` as pydantic-settings knows them."""
    from pydantic import Field, PositiveInt, SecretStr, create_model
    from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

    class Given(BaseSettings):
        model_config = SettingsConfigDict(
            env_file=DOTENV, env_file_encoding="utf-8-sig", case_sensitive=True, env_ignore_empty=True, extra="ignore"
        )

        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource, file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:  # fmt: skip
            return env_settings, dotenv_settings, InitSettingsSource(settings_cls, _from_toml())

    hints = get_type_hints(Settings, localns={"PositiveInt": PositiveInt, "SecretStr": SecretStr}, include_extras=True)
    own = {item.name: (hints[item.name], Field(item.default, validation_alias=variable(item.name))) for item in fields(Settings)}
    made: type[BaseSettings] = create_model("Given", __base__=Given, **own)  # type: ignore[call-overload]
    return made


def _from_toml() -> dict[str, Any]:
    """What pecia.toml says; names in any case, none that is not ours."""
    try:
        with Path(TOML).open("rb") as file:
            held = {name.upper(): value for name, value in tomllib.load(file).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise OptionError(f"{TOML} cannot be read: {error}") from error
    if unknown := sorted(held.keys() - VARIABLES.keys()):
        raise OptionError(f"{TOML}: there is no setting {', '.join(unknown)}; there are {', '.join(VARIABLES)}")
    return held


def _origins() -> dict[str, str]:
    """Where each setting that is given has its value from."""
    from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

    found = dict.fromkeys(_from_toml(), TOML)
    found |= dict.fromkeys(DotEnvSettingsSource(_model(), env_file=DOTENV)(), DOTENV)
    return found | dict.fromkeys(EnvSettingsSource(_model())(), ENVIRONMENT)


_NEEDED = {
    "bool": "true or false is needed",
    "literal": "{expected} is needed",
    "int": "a whole number above 0 is needed",
    "greater": "a whole number above 0 is needed",
}


def _told(error: Mapping[str, Any]) -> str:
    """One fault as a line without a secret."""
    name = str(error["loc"][0])
    needed = next((words for kind, words in _NEEDED.items() if error["type"].startswith(kind)), error["msg"])
    given = "" if VARIABLES.get(name) in SECRETS else f" is {error['input']!r:.60}"
    return f"{name}{given}; {needed.format(**error.get('ctx', {}))}"


def _address_fault(url: str, name: str) -> str:
    """What is wrong with an address; it is not quoted, since it may hold a password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "is no address"
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        return "is no address; it begins with http:// or https://"
    if parts.username or parts.password or parts.query or parts.fragment:
        return f"holds more than an address; a key belongs in {name}_API_KEY"
    return ""
