"""Reads plants.txt."""

from dataclasses import dataclass


@dataclass
class Plant:
    code: str
    name: str
    days: int


def read_plants(text):
    """The plants of a file, by their code."""
    plants = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        code, name, days = line.split(";")
        if code in plants:
            raise ValueError(f"code occurs twice: {code}")
        plants[code] = Plant(code, name, int(days))
    return plants
