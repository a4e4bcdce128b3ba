LIMIT = 3
NAMES = [
    "a",
    "c",
]
