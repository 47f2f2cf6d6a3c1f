"""Replies of models on disk: one file each, named by a hash of all that was asked."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Replies:
    """A folder of replies. The name of a reply is made of the request (model, prompt, text or image, form of the reply) and
    of nothing else: neither the address nor the key of the endpoint is in it. A file that cannot be read is no reply; a
    folder that cannot be written keeps none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            held = json.loads(self._path(request).read_bytes())
        except (OSError, ValueError):
            return None
        return held if isinstance(held, dict) else None

    def put(self, request: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        path = self._path(request)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(reply, file, ensure_ascii=False)
            os.replace(name, path)  # two processes that ask the same write the same

    def _path(self, request: Mapping[str, Any]) -> Path:
        name = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.json"
