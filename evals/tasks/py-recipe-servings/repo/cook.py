"""Prints a recipe."""

import argparse

from recipe import parse, render

parser = argparse.ArgumentParser(description="Prints a recipe.")
parser.add_argument("file")
args = parser.parse_args()

with open(args.file) as f:
    recipe = parse(f.read())
print(render(recipe))
