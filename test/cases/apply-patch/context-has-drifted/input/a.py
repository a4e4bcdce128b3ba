import a

def total(items):
    # sums them up
    result = 0
    for item in items:
        result += item.price
    return result

print(1)
