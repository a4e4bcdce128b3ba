def run(items):
    start = 1
    total = 0
    for item in items:
        total += item
    return total
