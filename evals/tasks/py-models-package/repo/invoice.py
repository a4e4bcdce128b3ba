from models import Order


def invoice(order: Order) -> str:
    rows = [f"{line.count} x {line.title}" for line in order.lines]
    return "\n".join([order.customer.name, *rows, f"{order.gross() / 100:.2f}"])
