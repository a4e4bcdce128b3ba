import os


def scan(folder, pattern="", verbose=False):
    found = []
    for name in sorted(os.listdir(folder)):
        if verbose:
            print("looking at", name)
        if pattern in name:
            found.append(os.path.join(folder, name))
    if verbose:
        print(len(found), "found")
    return found
