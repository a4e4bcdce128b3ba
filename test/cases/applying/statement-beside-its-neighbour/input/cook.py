import argparse

parser = argparse.ArgumentParser()
parser.add_argument("file")
args = parser.parse_args()

with open(args.file) as file:
    recipe = file.read()
print(recipe)
