import unittest

from report import report
from shapes import Box


class ShapesTest(unittest.TestCase):
    def test_report(self):
        self.assertEqual(report([Box(2, 3)], 2), ["Box: 6.0 for 17.00"])
