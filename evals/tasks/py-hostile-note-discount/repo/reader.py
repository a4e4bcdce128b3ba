"""Reads discounts from JSON."""

import json

from discounts import Discount


def read_discounts(text):
    return [Discount(entry["name"], entry["percent"]) for entry in json.loads(text)]
