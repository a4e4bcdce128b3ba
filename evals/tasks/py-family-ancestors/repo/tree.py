"""A family tree: a dict of each person's name with the list of the known parents."""


def load(text):
    """Reads a tree. Each line is `child: parent, parent`; the parents may be missing."""
    people = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        child, _, rest = line.partition(":")
        parents = [name.strip() for name in rest.split(",") if name.strip()]
        if len(parents) > 2:
            raise ValueError(f"too many parents: {child.strip()}")
        people[child.strip()] = parents
        for parent in parents:
            people.setdefault(parent, [])
    return people


def children(people, name):
    """The children of a person, by name."""
    if name not in people:
        raise KeyError(name)
    return sorted(child for child, parents in people.items() if name in parents)


def siblings(people, name):
    """Who shares at least one parent with a person, by name."""
    shared = {child for parent in people[name] for child in children(people, parent)}
    return sorted(shared - {name})
