import unittest

from lanes import Lane, Vehicle
from loading import load, report


class FerryTest(unittest.TestCase):
    def test_lorry_in_a_lane_of_its_length(self):
        lane = Lane(1, 12)
        self.assertEqual(lane.room(), 12)
        self.assertEqual(load([lane], [Vehicle("LORRY", 12)]), [])
        self.assertEqual(report([lane]), "lane 1: LORRY (room 0.0 m)")

    def test_too_long(self):
        self.assertEqual(load([Lane(1, 12)], [Vehicle("BUS", 13)]), ["BUS"])

    def test_report(self):
        lanes = [Lane(1, 20), Lane(2, 6)]
        self.assertEqual(load(lanes, [Vehicle("A", 6), Vehicle("LONG", 21)]), ["LONG"])
        self.assertEqual(report(lanes), "lane 1: empty (room 20.0 m)\nlane 2: A (room 0.0 m)")

    def test_does_not_fit(self):
        lane = Lane(3, 9)
        lane.add(Vehicle("A", 5))
        with self.assertRaisesRegex(ValueError, "B does not fit in lane 3"):
            lane.add(Vehicle("B", 5))


if __name__ == "__main__":
    unittest.main()
