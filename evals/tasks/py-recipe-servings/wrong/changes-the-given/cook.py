"""Prints a recipe."""

import argparse

from recipe import parse, render, scale

parser = argparse.ArgumentParser(description="Prints a recipe.")
parser.add_argument("file")
parser.add_argument("--servings", type=int)
args = parser.parse_args()

with open(args.file) as f:
    recipe = parse(f.read())
if args.servings is not None:
    recipe = scale(recipe, args.servings)
print(render(recipe))
