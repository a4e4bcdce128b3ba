"""Orders: several items, reserved together or not at all."""

from inventory import OutOfStock


class Order:
    def __init__(self, number, lines):
        self.number = number
        self.lines = dict(lines)
        self.state = "new"

    def place(self, inventory):
        """Reserves all lines. Returns False and reserves nothing when one is out of stock."""
        done = []
        for sku, quantity in self.lines.items():
            try:
                inventory.reserve(sku, quantity)
            except OutOfStock:
                for held, count in done:
                    inventory.release(held, count)
                return False
            done.append((sku, quantity))
        self.state = "placed"
        return True

    def ship(self, inventory):
        if self.state != "placed":
            raise ValueError(f"order {self.number} is {self.state}")
        for sku, quantity in self.lines.items():
            inventory.ship(sku, quantity)
        self.state = "shipped"
