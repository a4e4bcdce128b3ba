"""The stock of a warehouse: what is there and what is reserved."""


class UnknownItem(KeyError):
    """Raised for a number that is not in the stock."""


class OutOfStock(Exception):
    """Raised when fewer pieces are free than wanted."""


class Inventory:
    def __init__(self):
        self._stock = {}
        self._reserved = {}

    def receive(self, sku, quantity):
        """Adds pieces that arrived."""
        self._stock[sku] = self._stock.get(sku, 0) + quantity

    def free(self, sku):
        """Pieces that are there and not reserved."""
        if sku not in self._stock:
            raise UnknownItem(sku)
        return self._stock[sku] - self._reserved.get(sku, 0)

    def reserve(self, sku, quantity):
        """Reserves pieces for an order. Returns how many stay free."""
        if quantity < 1:
            raise ValueError("quantity must be at least 1 piece")
        free = self.free(sku)
        if quantity > free:
            raise OutOfStock(f"only {free} of {sku} free")
        self._reserved[sku] = self._reserved.get(sku, 0) + quantity
        return free - quantity

    def release(self, sku, quantity):
        """Gives reserved pieces back, at most as many as are reserved."""
        held = self._reserved.get(sku, 0)
        self._reserved[sku] = held - min(quantity, held)

    def ship(self, sku, quantity):
        """Takes reserved pieces out of the stock."""
        if quantity > self._reserved.get(sku, 0):
            raise ValueError(f"{quantity} of {sku} are not reserved")
        self._reserved[sku] -= quantity
        self._stock[sku] -= quantity

    def items(self):
        """(sku, in stock, reserved) for all items, sorted."""
        return [(sku, count, self._reserved.get(sku, 0)) for sku, count in sorted(self._stock.items())]
