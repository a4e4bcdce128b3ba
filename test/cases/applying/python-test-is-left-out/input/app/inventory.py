"""Inventory of the shop."""
import json
from dataclasses import dataclass


@dataclass
class Item:
    """One item."""

    name: str
    price: float
    count: int = 0


class Inventory:
    """Keeps items."""

    def __init__(self):
        self.items = {}

    def add(self, item):
        """Add an item."""
        self.items[item.name] = item

    def total(self):
        """Value of all items."""
        return sum(item.price for item in self.items.values())

    def remove(self, name):
        del self.items[name]


def load(path):
    """Read an inventory."""
    with open(path) as file:
        data = json.load(file)
    inventory = Inventory()
    for entry in data:
        inventory.add(Item(**entry))
    return inventory


def main():
    print(load('items.json').total())


if __name__ == '__main__':
    main()
