"""Prints a card."""


def price(cents):
    return f"{cents // 100}.{cents % 100:02d}"


def card(title, dishes):
    """A title and one line a dish."""
    lines = [title, "-" * len(title)]
    for dish in dishes:
        lines.append(f"{dish.name} {price(dish.cents)}")
    return "\n".join(lines)
