"""Prints the report of a file: python3 rain.py FILE"""

import sys

from gauge import parse
from summary import report

if len(sys.argv) != 2:
    sys.exit("usage: python3 rain.py FILE")

with open(sys.argv[1]) as f:
    print(report(parse(f.read())))
