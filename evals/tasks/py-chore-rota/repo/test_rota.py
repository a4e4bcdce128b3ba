import unittest

from plan import render
from rota import assign, load

PEOPLE = ["Ann", "Ben", "Cleo", "Dan"]
CHORES = ["bath", "kitchen", "bins"]


class RotaTest(unittest.TestCase):
    def test_moves_on(self):
        self.assertEqual(assign(PEOPLE, CHORES, 0), {"bath": "Ann", "kitchen": "Ben", "bins": "Cleo"})
        self.assertEqual(assign(PEOPLE, CHORES, 2), {"bath": "Cleo", "kitchen": "Dan", "bins": "Ann"})

    def test_load(self):
        self.assertEqual(load(["Ann", "Ben"], CHORES, 1), {"Ann": 1, "Ben": 2})

    def test_one_away(self):
        self.assertEqual(assign(PEOPLE, CHORES, 0, away=["Ben"]), {"bath": "Ann", "kitchen": "Cleo", "bins": "Cleo"})

    def test_two_away(self):
        away = {"Cleo", "Dan"}
        self.assertEqual(assign(PEOPLE, CHORES, 2, away=away), {"bath": "Ann", "kitchen": "Ann", "bins": "Ann"})

    def test_nobody_there(self):
        self.assertEqual(assign(["Ann", "Ben"], ["bath"], 0, away=["Ann", "Ben"]), {"bath": None})

    def test_render(self):
        self.assertEqual(
            render(PEOPLE, CHORES, [0, 1]),
            "week 0 - bath: Ann, kitchen: Ben, bins: Cleo\nweek 1 - bath: Ben, kitchen: Cleo, bins: Dan",
        )

    def test_render_away(self):
        self.assertEqual(
            render(["Ann", "Ben"], ["bath", "bins"], [3, 4, 5], away={4: ["Ann"], 5: ["Ann", "Ben"]}),
            "week 3 - bath: Ben, bins: Ann\nweek 4 - bath: Ben, bins: Ben\nweek 5 - bath: -, bins: -",
        )


if __name__ == "__main__":
    unittest.main()
