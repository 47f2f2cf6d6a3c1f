"""Dates as papers print them."""

import pytest

from pecia.text.dates import find_date


@pytest.mark.parametrize(
    ("text", "date"),
    [("2025-05-20", "2025-05-20"), ("(20.5.2025)", "2025-05-20"), ("2025年5月20日", "2025-05-20"), ("20 May 2025", "2025-05-20"),
     ("May 20, 2025", "2025-05-20"), ("E-12", None), ("2025-13-40", None)],
)  # fmt: skip
def test_the_first_date_of_a_line(text: str, date: str | None) -> None:
    found = find_date(text)
    assert (found.date if found else None) == date
