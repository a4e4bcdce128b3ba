"""Settings. What settings.local holds replaces them."""

MAX_ATTEMPTS = 6
FIRST_WAIT = 2
FACTOR = 2
LONGEST_WAIT = 30

LOCAL = {"longest_wait": 16}
