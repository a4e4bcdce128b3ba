import os
import unittest

import units
from units import distance
from walk import walk


class HiddenTest(unittest.TestCase):
    def test_one_module(self):
        self.assertEqual(sorted(n for n in os.listdir("units") if n.endswith(".py")), ["__init__.py", "distance.py"])
        self.assertIs(units.to_km, distance.to_km)
        self.assertIs(units.to_miles, distance.to_miles)
        self.assertEqual(distance.pace(20, units.to_km(2)), 10)

    def test_one_constant(self):
        self.assertEqual(units.KM_PER_MILE, 1.609344)
        self.assertAlmostEqual(units.to_miles(units.to_km(1_000_000)), 1_000_000, 6)
        with open("units/distance.py") as file:
            self.assertEqual(file.read().count("1.609"), 1)

    def test_walk(self):
        with open("walk.py") as file:
            source = file.read()
        self.assertNotRegex(source, r"units\.(km|mi)\b")
        self.assertEqual(walk(1, 20), "1.61 km, 20.00 min/mi")
