from dataclasses import dataclass, field

from models.customer import Customer

VAT = 19


@dataclass
class OrderLine:
    title: str
    cents: int
    count: int = 1

    @property
    def total(self):
        return self.cents * self.count


@dataclass
class Order:
    customer: Customer
    lines: list = field(default_factory=list)

    def gross(self):
        net = sum(line.total for line in self.lines)
        net -= net * self.customer.discount // 100
        return net + net * VAT // 100
