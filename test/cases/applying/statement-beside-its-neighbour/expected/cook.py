import argparse

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--loud", action="store_true")
args = parser.parse_args()

with open(args.file) as file:
    recipe = file.read()
if args.loud:
    recipe = recipe.upper()
print(recipe)
