"""The plants as text."""


def listing(plants):
    return "\n".join(f"{plant.code:<8} {plant.name}, every {plant.days} days" for plant in plants.values())
