import sys


def main(argv):
    print(len(argv))


if __name__ == "__main__":
    main(sys.argv[1:])
