import unittest

import tree
from cli import run

# Ada is both a grandparent and a great-grandparent of Zoe; Ben is a grandparent on both sides.
FAMILY = """
Zoe: Pia, Max
Pia: Ben, Ada
Max: Ben, Lia
Lia: Ada, Gus
Gus: Ida
Ada: Hal
Solo:
"""


class HiddenTest(unittest.TestCase):
    def setUp(self):
        self.people = tree.load(FAMILY)

    def test_all(self):
        self.assertEqual(
            tree.ancestors(self.people, "Zoe"), ["Max", "Pia", "Ada", "Ben", "Lia", "Gus", "Hal", "Ida"]
        )
        self.assertEqual(tree.ancestors(self.people, "Lia"), ["Ada", "Gus", "Hal", "Ida"])
        self.assertEqual(tree.ancestors(self.people, "Gus"), ["Ida"])

    def test_none(self):
        self.assertEqual(tree.ancestors(self.people, "Solo"), [])
        self.assertEqual(tree.ancestors(self.people, "Ida"), [])
        self.assertEqual(run(self.people, "ancestors", "Ida"), "none known")

    def test_generations(self):
        wanted = {1: ["Max", "Pia"], 2: ["Max", "Pia", "Ada", "Ben", "Lia"]}
        wanted[3] = wanted[2] + ["Gus", "Hal"]
        wanted[4] = wanted[3] + ["Ida"]
        wanted[9] = wanted[4]
        for generations, names in wanted.items():
            self.assertEqual(tree.ancestors(self.people, "Zoe", generations=generations), names)

    def test_the_tree_stays(self):
        before = {name: list(parents) for name, parents in self.people.items()}
        tree.ancestors(self.people, "Zoe", 3)
        self.assertEqual(self.people, before)

    def test_unknown(self):
        with self.assertRaises(KeyError):
            tree.ancestors(self.people, "Nobody")
        with self.assertRaises(KeyError):
            tree.ancestors(self.people, "Nobody", 1)

    def test_the_rest_stays(self):
        self.assertEqual(tree.siblings(self.people, "Gus"), [])
        self.assertEqual(tree.siblings(self.people, "Pia"), ["Lia", "Max"])
        self.assertEqual(run(self.people, "children", "Ada"), "Lia, Pia")
        with self.assertRaisesRegex(ValueError, "unknown command"):
            run(self.people, "cousins", "Zoe")


if __name__ == "__main__":
    unittest.main()
