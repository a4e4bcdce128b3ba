import unittest

from export import export


class ExportTest(unittest.TestCase):
    def test_winter(self):
        self.assertEqual(export([("talk", 2024, 1, 10, 0, 30)]), "2024-01-09T23:30Z talk")

    def test_summer(self):
        self.assertEqual(export([("party", 2024, 7, 10, 0, 30)]), "2024-07-09T22:30Z party")


if __name__ == "__main__":
    unittest.main()
