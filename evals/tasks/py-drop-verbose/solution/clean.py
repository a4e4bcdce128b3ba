import os

from scan import scan


def clean(folder, pattern, *, dry=False):
    removed = []
    for path in scan(folder, pattern):
        if not dry:
            os.remove(path)
        removed.append(path)
    return removed
