"""python3 cli.py encode|decode TEXT"""

import sys

from morse import decode, encode


def main(argv):
    if len(argv) != 2 or argv[0] not in ("encode", "decode"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(encode(argv[1]) if argv[0] == "encode" else decode(argv[1]))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
