"""Prices on the web page."""

from money import round_cents, with_tax


def web_price(amount, country):
    return round_cents(with_tax(amount, country))
