class Box(Base):
    """A box."""

    limit = 3

    def __init__(self):
        self.items = []

    def size(self):
        return len(self.items)

    def is_full(self):
        return self.size() >= self.limit
