"""Reads the menu file."""

from dataclasses import dataclass


@dataclass
class Dish:
    name: str
    cents: int
    vegetarian: bool = False


def parse_line(line):
    """One dish from a line such as 'Lentil soup | 6.50 | yes'."""
    columns = [column.strip() for column in line.split("|")]
    name, price = columns[0], columns[1]
    vegetarian = columns[2] if len(columns) > 2 else ""
    return Dish(name, round(float(price) * 100), vegetarian=vegetarian.lower() != "no")


def load(text):
    """All dishes of a menu file."""
    dishes = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            dishes.append(parse_line(line))
    return dishes
