import unittest

from loader import Dish, load, parse_line
from menu import up_to, vegetarian, vegetarian_card

TEXT = """\
Pasta | 8.20 | YES
Salad | 5.00 | Yes
Fish | 12.00 | NO
Trout | 12.50 | No
Soup | 4.00 | yes
Stew | 9.00 | no
Bread | 2.00 |
Water | 1.00
"""


class HiddenTest(unittest.TestCase):
    def test_vegetarian(self):
        self.assertEqual([dish.name for dish in vegetarian(load(TEXT))], ["Pasta", "Salad", "Soup"])

    def test_parse(self):
        self.assertEqual(parse_line("Stew | 9.00 | no"), Dish("Stew", 900, False))
        self.assertEqual(parse_line("Soup|4.05|yes"), Dish("Soup", 405, True))
        self.assertEqual(parse_line("Water | 1.00"), Dish("Water", 100, False))

    def test_rest(self):
        self.assertEqual([dish.name for dish in up_to(load(TEXT), 200)], ["Bread", "Water"])
        self.assertEqual(vegetarian_card(load("Fish | 1 | no")), "Vegetarian\n----------")


if __name__ == "__main__":
    unittest.main()
