import unittest
from datetime import date

from reader import read_plants
from watering import next_watering

with open("plants.txt") as f:
    TEXT = f.read()


class PlantsTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(next_watering(read_plants(TEXT), "CACT-1", date(2024, 6, 1)), date(2024, 6, 22))

    def test_spaces_and_lower_case(self):
        plants = read_plants(TEXT)
        self.assertEqual(next_watering(plants, "FERN-2", date(2024, 6, 1)), date(2024, 6, 5))
        self.assertEqual(next_watering(plants, "basil-1", date(2024, 6, 1)), date(2024, 6, 2))

    def test_name(self):
        self.assertEqual(read_plants(TEXT)["FERN-2"].name, "Boston fern")

    def test_unknown(self):
        with self.assertRaises(LookupError):
            next_watering(read_plants(TEXT), "ROSE-9", date(2024, 6, 1))


if __name__ == "__main__":
    unittest.main()
