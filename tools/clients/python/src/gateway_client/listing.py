"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, cast

Item = TypeVar("Item")
Page = TypeVar("Page")


class Listing(Generic[Item, Page]):
    """The entries of a list, one after the other. Each iteration begins at its start, a page at a time."""

    def __init__(self, read: Callable[[str | None], Any], member: str, after: str | None) -> None:
        self._read, self._member, self._after = read, member, after

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from cast(Any, page)[self._member]

    def pages(self) -> Iterator[Page]:
        """The pages, each with `next` unless it is the last: the place to go on at, as `after`."""
        after = self._after
        while True:
            page = self._read(after)
            yield page
            after = page.get("next")
            # The list of events always has a `next`: an empty page is its end.
            if after is None or not page[self._member]:
                return
