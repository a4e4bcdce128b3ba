def total(items):
    return 1
