import argparse

from clean import clean


def main(args):
    parser = argparse.ArgumentParser(prog="clean")
    parser.add_argument("folder")
    parser.add_argument("pattern")
    parser.add_argument("-n", "--dry", action="store_true")
    given = parser.parse_args(args)
    removed = clean(given.folder, given.pattern, dry=given.dry)
    print(f"{len(removed)} files{' would be' if given.dry else ''} removed")
