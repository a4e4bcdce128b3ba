import copy
import unittest

from grades import Category, category_average, final_grade, load_course
from report import report


class HiddenTest(unittest.TestCase):
    def test_by_percent(self):
        lab = Category("lab", 30, drop=1)
        self.assertEqual(category_average(lab, [(30, 100), (5, 10), (8, 8)]), 75)
        self.assertEqual(category_average(lab, [(5, 5), (40, 80)]), 100)

    def test_several(self):
        results = [(1, 10), (2, 10), (3, 10), (4, 10), (9, 10)]
        self.assertEqual(category_average(Category("a", 1, drop=3), results), 65)
        self.assertEqual(category_average(Category("a", 1, drop=4), results), 90)
        self.assertEqual(category_average(Category("a", 1, drop=5), results), 90)
        self.assertEqual(category_average(Category("a", 1, drop=50), results), 90)

    def test_same_results(self):
        self.assertEqual(category_average(Category("a", 1, drop=1), [(5, 10), (5, 10), (8, 10)]), 65)

    def test_nothing_to_drop(self):
        self.assertEqual(category_average(Category("a", 1), [(1, 10), (9, 10)]), 50)
        self.assertEqual(category_average(Category("a", 1, drop=0), [(1, 10)]), 10)
        self.assertIsNone(category_average(Category("a", 1, drop=2), []))

    def test_arguments_are_left_alone(self):
        category = Category("a", 1, drop=1)
        results = [(9, 10), (1, 10), (5, 10)]
        before = copy.deepcopy((category, results))
        self.assertEqual(category_average(category, results), 70)
        self.assertEqual(category_average(category, results), 70)
        self.assertEqual((category, results), before)

    def test_course(self):
        course = load_course('{"quiz": {"weight": 20, "drop": 2}, "exam": {"weight": 80, "drop": 0}}')
        students = {
            "Bo": {"quiz": [(0, 5), (5, 5), (1, 5)], "exam": [(60, 100), (80, 100)]},
            "Cy": {"quiz": [(3, 5)]},
            "Di": {},
        }
        self.assertEqual(final_grade(course, students["Bo"]), 76)
        self.assertEqual(report(course, students), "Bo: 76.0 C\nCy: 60.0 D\nDi: -")


if __name__ == "__main__":
    unittest.main()
