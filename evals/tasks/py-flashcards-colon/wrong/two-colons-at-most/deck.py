"""Decks of flashcards, read from text files."""

from dataclasses import dataclass


@dataclass
class Card:
    front: str
    back: str
    box: int = 1


def parse_deck(text):
    """Reads cards from lines such as "front: back". Empty lines and lines that begin with # are skipped."""
    cards = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        parts = line.split(":")
        if len(parts) < 2:
            raise ValueError(f"line {number}: no colon")
        front, back = parts[0].strip(), parts[1].strip()
        if len(parts) == 3:
            back = back + ":" + parts[2].strip()
        if not front or not back:
            raise ValueError(f"line {number}: a side is empty")
        cards.append(Card(front, back))
    return cards
