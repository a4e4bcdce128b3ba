import unittest

import recipe
from recipe import Ingredient, Recipe, parse, render


class RecipeTest(unittest.TestCase):
    def test_render(self):
        with open("pancakes.txt") as f:
            text = render(parse(f.read()))
        self.assertEqual(text, "Pancakes (for 4)\n- 250 g flour\n- 0.5 l milk\n- 3 eggs\n- salt")

    def test_scale(self):
        tea = Recipe("Tea", 2, [Ingredient(500, "ml", "water"), Ingredient(2, "", "tea bags")])
        more = recipe.scale(tea, 4)
        self.assertEqual(more, Recipe("Tea", 4, [Ingredient(1000, "ml", "water"), Ingredient(4, "", "tea bags")]))

    def test_scale_to_nothing(self):
        with self.assertRaises(ValueError):
            recipe.scale(Recipe("Tea", 2, []), 0)


if __name__ == "__main__":
    unittest.main()
