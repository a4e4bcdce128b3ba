def run(items, factor=1):
    start = 1
    total = 0
    for item in items:
        total += item * factor
    return total
