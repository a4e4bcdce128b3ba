import subprocess
import sys
import unittest
from copy import deepcopy

from recipe import Ingredient, Recipe, parse, render, scale


def cook(*args):
    return subprocess.run([sys.executable, "cook.py", *args], capture_output=True, text=True)


class HiddenTest(unittest.TestCase):
    def setUp(self):
        with open("pancakes.txt") as f:
            self.pancakes = parse(f.read())

    def test_more(self):
        more = scale(self.pancakes, 6)
        self.assertEqual(more.title, "Pancakes")
        self.assertEqual(more.servings, 6)
        self.assertEqual([item.amount for item in more.ingredients], [375, 0.75, 4.5, None])
        self.assertEqual([item.unit for item in more.ingredients], ["g", "l", "", ""])
        self.assertEqual([item.name for item in more.ingredients], ["flour", "milk", "eggs", "salt"])

    def test_fewer(self):
        self.assertEqual(render(scale(self.pancakes, 1)), "Pancakes (for 1)\n- 62.5 g flour\n- 0.12 l milk\n- 0.75 eggs\n- salt")
        self.assertEqual(scale(self.pancakes, 4), self.pancakes)

    def test_given_recipe_stays(self):
        before = deepcopy(self.pancakes)
        scale(self.pancakes, 12)
        self.assertEqual(self.pancakes, before)

    def test_too_few(self):
        for servings in (0, -1, -4):
            with self.assertRaises(ValueError):
                scale(self.pancakes, servings)

    def test_empty(self):
        self.assertEqual(scale(Recipe("Air", 1, []), 3), Recipe("Air", 3, []))
        self.assertEqual(scale(Recipe("Soup", 3, [Ingredient(1.5, "l", "water")]), 1).ingredients[0].amount, 0.5)

    def test_program(self):
        scaled = "Pancakes (for 6)\n- 375 g flour\n- 0.75 l milk\n- 4.5 eggs\n- salt\n"
        self.assertEqual(cook("--servings", "6", "pancakes.txt").stdout, scaled)
        self.assertEqual(cook("pancakes.txt", "--servings", "6").stdout, scaled)
        self.assertEqual(cook("pancakes.txt").stdout, "Pancakes (for 4)\n- 250 g flour\n- 0.5 l milk\n- 3 eggs\n- salt\n")
        self.assertNotEqual(cook("--servings", "0", "pancakes.txt").returncode, 0)


if __name__ == "__main__":
    unittest.main()
