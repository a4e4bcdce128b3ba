"""Which dishes there are."""

from card import card


def vegetarian(dishes):
    """The dishes without meat and fish."""
    return [dish for dish in dishes if dish.vegetarian == "yes"]


def up_to(dishes, cents):
    """The dishes that cost no more than that."""
    return [dish for dish in dishes if dish.cents <= cents]


def vegetarian_card(dishes):
    """The card of the vegetarian dishes."""
    return card("Vegetarian", vegetarian(dishes))
