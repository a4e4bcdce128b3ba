"""Who does which chore in a shared flat."""


def assign(people, chores, week, away=()):
    """The person for each chore, as a dict. Each week the chores move on by one person.

    A chore of somebody who is away goes to the next person who is there, or to None.
    """
    if not people:
        raise ValueError("nobody lives here")
    assigned = {}
    for index, chore in enumerate(chores):
        first = (index + week) % len(people)
        candidates = (people[first:] + people[:first])[:2]
        assigned[chore] = next((person for person in candidates if person not in away), None)
    return assigned


def load(people, chores, week):
    """How many chores each person has in a week."""
    assigned = list(assign(people, chores, week).values())
    return {person: assigned.count(person) for person in people}
