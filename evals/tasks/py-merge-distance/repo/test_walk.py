import unittest

from walk import walk


class WalkTest(unittest.TestCase):
    def test_walk(self):
        self.assertEqual(walk(3, 60), "4.83 km, 20.00 min/mi")
