"""Tests of a price list, with fixtures and parameters."""

import re
from decimal import Decimal
from unittest import mock

import attrs
import pytest
from attrs import define, field, validators


@define(frozen=True)
class Price:
    amount: Decimal = field(converter=Decimal, validator=validators.ge(0))
    currency: str = field(default="EUR", validator=validators.in_(["EUR", "SEK"]))
    tags: list[str] = field(factory=list, repr=False, eq=False)

    def with_tax(self, percent: int) -> "Price":
        return attrs.evolve(self, amount=self.amount * (100 + percent) / 100)


class Catalog:
    def __init__(self) -> None:
        self.prices: dict[str, Price] = {}

    def add(self, name: str, price: Price) -> None:
        if name in self.prices:
            raise KeyError(name)
        self.prices[name] = price


@pytest.fixture(scope="module", name="catalog")
def make_catalog():
    catalog = Catalog()
    catalog.add("tea", Price("3.50"))
    yield catalog
    catalog.prices.clear()


@pytest.mark.parametrize(
    ("percent", "expected"),
    [(0, "3.50"), (19, "4.165"), pytest.param(25, "4.375", id="swedish", marks=pytest.mark.slow)],
)
def test_tax(catalog: Catalog, percent: int, expected: str) -> None:
    assert float(catalog.prices["tea"].with_tax(percent).amount) == pytest.approx(float(expected), rel=1e-6)


def test_twice(catalog: Catalog) -> None:
    with pytest.raises(KeyError, match=re.escape("tea")) as caught:
        catalog.add("tea", Price(1))
    assert caught.type is KeyError


@pytest.mark.skipif(not hasattr(attrs, "asdict"), reason="too old")
def test_dictionary() -> None:
    assert attrs.asdict(Price(1), filter=attrs.filters.exclude("tags"))["currency"] == "EUR"
    assert [one.name for one in attrs.fields(Price)] == ["amount", "currency", "tags"]


@pytest.mark.xfail(strict=False)
def test_warning(monkeypatch: pytest.MonkeyPatch, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CURRENCY", "SEK")
    monkeypatch.chdir(tmp_path)
    with mock.patch.object(Catalog, "add", autospec=True) as add, pytest.warns(UserWarning):
        Catalog().add("x", Price(2))
        add.assert_called_once()
    assert capsys.readouterr().out == ""
    pytest.fail("no warning")
