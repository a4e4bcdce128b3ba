"""The plan of a week: from when on which temperature is wanted."""

DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
FALLBACK = 16.0


def parse_plan(text):
    """Reads a plan: for each day a list of (time, degrees), sorted by time."""
    plan = {day: [] for day in DAYS}
    for line in text.splitlines():
        if not line.strip():
            continue
        day, time, degrees = line.split()
        if day not in plan:
            raise ValueError(f"not a day: {day}")
        plan[day].append((time, float(degrees)))
    for entries in plan.values():
        entries.sort()
    return plan


def wanted(plan, day, time):
    """The temperature that is wanted on a day at a time like "06:30"."""
    today = [degrees for start, degrees in plan[day] if start <= time]
    if today:
        return today[-1]
    for back in range(1, len(DAYS)):
        entries = plan[DAYS[DAYS.index(day) - back]]
        if entries:
            return entries[-1][1]
    return FALLBACK
