"""Stock of a small warehouse."""

from dataclasses import dataclass


@dataclass
class Item:
    sku: str
    on_hand: int
    minimum: int
    target: int
    ordered: int = 0
    pack_size: int = 1
    discontinued: bool = False


def receive(item, quantity):
    """Books goods that came in: they are no longer ordered but on hand."""
    if quantity <= 0:
        raise ValueError("quantity must be positive")
    item.on_hand += quantity
    item.ordered = max(0, item.ordered - quantity)


def take(item, quantity):
    """Takes goods out of the stock."""
    if quantity > item.on_hand:
        raise ValueError(f"only {item.on_hand} of {item.sku} on hand")
    item.on_hand -= quantity


def stock_value(items, prices):
    """What the stock is worth, by a price per sku; items without a price count nothing."""
    return sum(item.on_hand * prices.get(item.sku, 0) for item in items)


def reorder_list(items):
    """Pairs of (sku, quantity) for what has to be ordered now."""
    wanted = []
    for item in items:
        available = item.on_hand + item.ordered
        if item.discontinued or available >= item.minimum:
            continue
        missing = item.target - available
        if item.pack_size > 1:
            missing = (missing // item.pack_size + 1) * item.pack_size
        wanted.append((item.sku, missing))
    return sorted(wanted)
