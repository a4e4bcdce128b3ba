"""A parcel at the counter."""

from sizes import size_class

EXPRESS = 250


class Parcel:
    def __init__(self, receiver, sides, express=False):
        if len(sides) != 3 or min(sides) <= 0:
            raise ValueError("a parcel has three sides")
        self.receiver = receiver
        self.sides = sorted(sides, reverse=True)
        self.express = express

    def price(self):
        """The price in cents."""
        _, price = size_class(self.sides)
        return price + (EXPRESS if self.express else 0)

    def label(self):
        """The text of the label."""
        name, _ = size_class(self.sides)
        size = " x ".join(str(side) for side in self.sides)
        return f"{self.receiver}\n{name} ({size} cm){' EXPRESS' if self.express else ''}"
