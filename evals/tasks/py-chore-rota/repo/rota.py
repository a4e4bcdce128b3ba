"""Who does which chore in a shared flat."""


def assign(people, chores, week):
    """The person for each chore, as a dict. Each week the chores move on by one person."""
    if not people:
        raise ValueError("nobody lives here")
    return {chore: people[(index + week) % len(people)] for index, chore in enumerate(chores)}


def load(people, chores, week):
    """How many chores each person has in a week."""
    assigned = list(assign(people, chores, week).values())
    return {person: assigned.count(person) for person in people}
