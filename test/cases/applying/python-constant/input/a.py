LIMIT = 3
NAMES = [
    "a",
    "b",
]
