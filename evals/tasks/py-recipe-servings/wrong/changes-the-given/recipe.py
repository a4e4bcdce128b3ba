"""Recipes: reading and printing them."""

from dataclasses import dataclass


@dataclass
class Ingredient:
    amount: float  # None where the recipe gives none, such as for salt
    unit: str
    name: str


@dataclass
class Recipe:
    title: str
    servings: int
    ingredients: list


def parse(text):
    """The recipe of a text: the title, the servings, then an ingredient a line as 'amount;unit;name'."""
    title, servings, *lines = text.strip().splitlines()
    ingredients = []
    for line in lines:
        amount, unit, name = line.split(";")
        ingredients.append(Ingredient(float(amount) if amount else None, unit, name))
    return Recipe(title, int(servings), ingredients)


def render(recipe):
    """The recipe as it is printed."""
    lines = [f"{recipe.title} (for {recipe.servings})"]
    for item in recipe.ingredients:
        amount = "" if item.amount is None else f"{round(item.amount, 2):g}"
        lines.append("- " + " ".join(part for part in (amount, item.unit, item.name) if part))
    return "\n".join(lines)


def scale(recipe, servings):
    """The recipe for another number of servings."""
    if servings < 1:
        raise ValueError(f"not at least 1: {servings}")
    for item in recipe.ingredients:
        if item.amount is not None:
            item.amount = item.amount * servings / recipe.servings
    recipe.servings = servings
    return recipe
