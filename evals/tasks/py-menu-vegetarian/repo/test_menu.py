import unittest

from loader import load
from menu import up_to, vegetarian, vegetarian_card

TEXT = """\
# winter
Lentil soup | 6.50 | yes
Beef stew | 11.00 | no

Bread | 2.00
"""


class MenuTest(unittest.TestCase):
    def test_names(self):
        self.assertEqual([dish.name for dish in load(TEXT)], ["Lentil soup", "Beef stew", "Bread"])

    def test_up_to(self):
        self.assertEqual([dish.name for dish in up_to(load(TEXT), 650)], ["Lentil soup", "Bread"])

    def test_vegetarian(self):
        self.assertEqual([dish.name for dish in vegetarian(load(TEXT))], ["Lentil soup"])

    def test_card(self):
        self.assertEqual(vegetarian_card(load(TEXT)), "Vegetarian\n----------\nLentil soup 6.50")


if __name__ == "__main__":
    unittest.main()
