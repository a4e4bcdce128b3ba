def due(days):
    if days is None:
        return 0
    return max(days * DAILY, CAP)
