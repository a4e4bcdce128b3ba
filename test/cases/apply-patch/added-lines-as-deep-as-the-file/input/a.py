def overlaps(a, b):
    if a.room != b.room:
        return False
    return a.start <= b.end
