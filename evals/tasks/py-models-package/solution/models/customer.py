from dataclasses import dataclass


@dataclass
class Customer:
    name: str
    discount: int = 0
