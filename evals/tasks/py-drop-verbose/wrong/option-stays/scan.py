import os


def scan(folder, pattern=""):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if pattern in name]
