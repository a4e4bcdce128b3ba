def total(prices):
    return 1
