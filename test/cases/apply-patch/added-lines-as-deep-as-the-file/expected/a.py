def overlaps(a, b):
    if a.room != b.room:
        return False
    if a.start < b.end:
        return True
    return a.end < b.start
