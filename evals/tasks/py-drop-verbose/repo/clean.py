import os

from scan import scan


def clean(folder, pattern, verbose=False, *, dry=False):
    removed = []
    for path in scan(folder, pattern, verbose):
        if not dry:
            os.remove(path)
        elif verbose:
            print("would remove", path)
        removed.append(path)
    return removed
