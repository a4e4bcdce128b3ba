"""Usage: python3 cli.py FILE children|siblings|ancestors NAME [GENERATIONS]"""

import sys

import tree


def run(people, command, name, *rest):
    """Runs a command and returns its output."""
    try:
        if command == "children":
            names = tree.children(people, name)
        elif command == "siblings":
            names = tree.siblings(people, name)
        elif command == "ancestors":
            generations = int(rest[0]) if rest else None
            names = tree.ancestors(people, name, generations)
        else:
            raise ValueError(f"unknown command: {command}")
    except KeyError:
        return f"nobody is called {name}"
    return ", ".join(names) or "none known"


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        family = tree.load(file.read())
    print(run(family, *sys.argv[2:]))
