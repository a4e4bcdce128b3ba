import unittest

import tree
from cli import run

FAMILY = """
# child: parents
Mia: Tom, Eva
Leo: Tom, Eva
Tom: Rosa, Karl
Eva: Ines
Karl: Otto
"""


class TreeTest(unittest.TestCase):
    def setUp(self):
        self.people = tree.load(FAMILY)

    def test_children(self):
        self.assertEqual(tree.children(self.people, "Tom"), ["Leo", "Mia"])

    def test_siblings(self):
        self.assertEqual(tree.siblings(self.people, "Mia"), ["Leo"])

    def test_ancestors(self):
        self.assertEqual(
            tree.ancestors(self.people, "Mia"),
            ["Eva", "Tom", "Ines", "Karl", "Rosa", "Otto"],
        )

    def test_ancestors_of_two_generations(self):
        self.assertEqual(run(self.people, "ancestors", "Mia", "2"), "Eva, Tom, Ines, Karl, Rosa")

    def test_unknown(self):
        self.assertEqual(run(self.people, "ancestors", "Nobody"), "nobody is called Nobody")


if __name__ == "__main__":
    unittest.main()
