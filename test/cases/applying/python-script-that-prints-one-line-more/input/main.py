import sys

from lib.parse import Parser

name = sys.argv[1]
parser = Parser(open(name).read())

for key, value in parser.values.items():
    print(key)
