class Box:
    def __init__(self):
        self.items = []

    @property
    def size(self):
        return 0

    def clear(self):
        self.items = []
