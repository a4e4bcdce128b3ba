import unittest

from plan import render
from rota import assign, load

PEOPLE = ["Ann", "Ben", "Cleo", "Dan", "Eva"]
CHORES = ["bath", "kitchen", "bins", "stairs"]


class HiddenTest(unittest.TestCase):
    def test_everybody_there(self):
        for week in range(12):
            expected = {chore: PEOPLE[(i + week) % 5] for i, chore in enumerate(CHORES)}
            self.assertEqual(assign(PEOPLE, CHORES, week), expected)
            self.assertEqual(assign(PEOPLE, CHORES, week, away=[]), expected)
            self.assertEqual(assign(PEOPLE, CHORES, week, away={"Zoe"}), expected)

    def test_away(self):
        for week in range(12):
            for away in (["Ben"], ["Eva"], ["Ann", "Eva"], ["Ben", "Cleo", "Dan"], ["Ann", "Ben", "Cleo", "Dan"]):
                expected = {}
                for i, chore in enumerate(CHORES):
                    n = i + week
                    while PEOPLE[n % 5] in away:
                        n += 1
                    expected[chore] = PEOPLE[n % 5]
                self.assertEqual(assign(PEOPLE, CHORES, week, away), expected, (week, away))

    def test_nobody(self):
        self.assertEqual(assign(PEOPLE, CHORES, 3, away=set(PEOPLE)), dict.fromkeys(CHORES))
        with self.assertRaises(ValueError):
            assign([], CHORES, 0)

    def test_arguments_stay(self):
        people, away = list(PEOPLE), ["Ben"]
        assign(people, CHORES, 1, away)
        self.assertEqual((people, away), (PEOPLE, ["Ben"]))

    def test_render(self):
        self.assertEqual(
            render(PEOPLE, ["bath", "bins"], [7, 8, 9], away={8: {"Dan", "Eva"}, 1: ["Ann"], 9: PEOPLE}),
            "week 7 - bath: Cleo, bins: Dan\nweek 8 - bath: Ann, bins: Ann\nweek 9 - bath: -, bins: -",
        )
        self.assertEqual(render(PEOPLE, ["bath"], [0]), "week 0 - bath: Ann")
        self.assertEqual(load(PEOPLE, CHORES, 0), {"Ann": 1, "Ben": 1, "Cleo": 1, "Dan": 1, "Eva": 0})


if __name__ == "__main__":
    unittest.main()
