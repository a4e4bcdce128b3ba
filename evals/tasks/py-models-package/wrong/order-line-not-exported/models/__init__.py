"""What the shop knows."""
from models.customer import Customer
from models.order import Order

__all__ = ["Customer", "Order"]
