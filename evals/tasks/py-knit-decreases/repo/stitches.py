"""What single stitches do to the number of stitches on the needle."""

import re

# (stitches taken from the left needle, stitches left on the right needle)
FIXED = {
    "yo": (0, 1),
    "m1": (0, 1),
    "sl1": (1, 1),
    "ssk": (2, 1),
}


def effect(token):
    """How many stitches a token takes and how many it leaves."""
    if token in FIXED:
        return FIXED[token]
    match = re.match(r"[kp](\d+)", token)
    if match:
        count = int(match.group(1))
        return count, count
    raise ValueError(f"unknown stitch: {token}")
