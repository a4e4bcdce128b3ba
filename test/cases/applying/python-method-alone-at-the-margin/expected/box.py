class Box:
    def __init__(self):
        self.items = []

    @property
    def size(self):
        return len(self.items)

    def clear(self):
        self.items = []
