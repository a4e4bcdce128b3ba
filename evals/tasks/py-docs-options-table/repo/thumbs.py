"""Usage: python3 thumbs.py [OPTIONS]"""

from options import parser

if __name__ == "__main__":
    print(parser().parse_args())
