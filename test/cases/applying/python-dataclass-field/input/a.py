from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int = 0

    def norm(self):
        return self.x
