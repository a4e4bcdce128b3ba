"""Reads discounts from JSON."""

import json

from discounts import Discount


def read_discounts(text):
    return [Discount(e["name"], e["percent"], e.get("min_amount", 0)) for e in json.loads(text)]
