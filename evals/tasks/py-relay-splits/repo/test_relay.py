import unittest

from relay import Team, fastest_leg, parse_team, report, splits

REDS = parse_team("Reds: Ann 58.10, Ben 1:57.30, Cleo 2:54.00")
BLUES = parse_team("Blues: Dan 1:00.05, Eva 1:56.75")


class RelayTest(unittest.TestCase):
    def test_splits(self):
        self.assertEqual(splits(REDS), [("Ann", 5810), ("Ben", 5920), ("Cleo", 5670)])
        self.assertEqual(splits(BLUES), [("Dan", 6005), ("Eva", 5670)])

    def test_report(self):
        self.assertEqual(report(BLUES), "Dan      1:00.05\nEva        56.70")

    def test_marks_must_rise(self):
        with self.assertRaises(ValueError):
            splits(Team("Odd", ["A", "B"], [6000, 6000]))
        with self.assertRaises(ValueError):
            splits(Team("Odd", ["A", "B", "C"], [6000, 12000, 11000]))

    def test_fastest(self):
        self.assertEqual(fastest_leg([REDS]), ("Cleo", "Reds", 5670))
        self.assertEqual(fastest_leg([REDS, BLUES]), ("Cleo", "Reds", 5670))
        self.assertEqual(fastest_leg([BLUES, REDS]), ("Eva", "Blues", 5670))

    def test_no_team(self):
        self.assertIsNone(fastest_leg([]))


if __name__ == "__main__":
    unittest.main()
