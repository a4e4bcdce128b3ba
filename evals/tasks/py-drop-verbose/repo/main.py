import argparse

from clean import clean


def main(args):
    parser = argparse.ArgumentParser(prog="clean")
    parser.add_argument("folder")
    parser.add_argument("pattern")
    parser.add_argument("-n", "--dry", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="tell more")
    given = parser.parse_args(args)
    removed = clean(given.folder, given.pattern, given.verbose, dry=given.dry)
    print(f"{len(removed)} files{' would be' if given.dry else ''} removed")
