"""Texts of a file that are one of the words that the program knows by then, for pydantic."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema


@dataclass(frozen=True)
class KnownWord:
    """Annotates a text; ``words`` gives those that are accepted when it is read.

    Records can be added after the models of files are made, so that no enumeration holds them.
    """

    words: Callable[[], Iterable[str]]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words())}

    def _known(self, word: str) -> str:
        if word not in self.words():
            raise ValueError("not one of the words that are known")
        return word
