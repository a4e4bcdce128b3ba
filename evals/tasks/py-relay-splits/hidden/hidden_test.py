import unittest

from relay import Team, fastest_leg, parse_team, report, splits


class HiddenTest(unittest.TestCase):
    def test_splits(self):
        team = Team("Four", ["Z", "Y", "X", "W"], [5000, 10001, 15000, 21000])
        self.assertEqual(splits(team), [("Z", 5000), ("Y", 5001), ("X", 4999), ("W", 6000)])
        self.assertEqual(team.marks, [5000, 10001, 15000, 21000])
        self.assertEqual(splits(Team("One", ["A"], [1])), [("A", 1)])
        self.assertEqual(report(parse_team("One: Al 10.00, Bo 1:15.03")), "Al         10.00\nBo       1:05.03")

    def test_marks(self):
        for marks in ([1000, 1000], [1000, 999], [1000, 2000, 2000], [1000, 2000, 1500]):
            with self.assertRaises(ValueError):
                splits(Team("Odd", ["A", "B", "C"][: len(marks)], marks))
        with self.assertRaises(ValueError):
            fastest_leg([Team("Fine", ["A"], [1000]), Team("Odd", ["A", "B"], [2000, 2000])])

    def test_ties(self):
        reds = Team("Reds", ["Zoe", "Amy"], [3000, 6000])
        blues = Team("Blues", ["Bob", "Abe"], [3000, 6000])
        self.assertEqual(fastest_leg([reds, blues]), ("Zoe", "Reds", 3000))
        self.assertEqual(fastest_leg([blues, reds]), ("Bob", "Blues", 3000))

    def test_fastest_is_not_the_first(self):
        teams = [Team("A", ["x", "y"], [3000, 5900]), Team("B", ["v", "w"], [3100, 5999])]
        self.assertEqual(fastest_leg(teams), ("w", "B", 2899))
        self.assertIsNone(fastest_leg([]))


if __name__ == "__main__":
    unittest.main()
