"""Prices in the shop: tax of Germany, then rounded to five cents, as we have no smaller coins."""

from decimal import ROUND_HALF_UP, Decimal

TAX = {"DE": Decimal("0.19")}


def _round(value):
    return value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def shop_price(amount):
    gross = _round(amount * (1 + TAX["DE"]))
    return _round((gross / Decimal("0.05")).quantize(Decimal(1), rounding=ROUND_HALF_UP) * Decimal("0.05"))
