def due(days):
    if days is None:
        return 0
    return min(days * DAILY, CAP)
