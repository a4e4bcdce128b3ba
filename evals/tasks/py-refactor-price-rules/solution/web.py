"""Prices on the web page."""

from money import round_cents, with_tax


def web_price(amount, country):
    """What a visitor from a country pays; no tax where we know none."""
    return round_cents(with_tax(amount, country))
