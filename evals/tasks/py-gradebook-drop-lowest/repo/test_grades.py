import unittest

from grades import Category, category_average, final_grade, load_course
from report import report

COURSE = '{"homework": {"weight": 40, "drop": 1}, "exam": {"weight": 60}}'


class GradesTest(unittest.TestCase):
    def test_average(self):
        self.assertEqual(category_average(Category("exam", 60), [(5, 10), (20, 20)]), 75)
        self.assertIsNone(category_average(Category("exam", 60, drop=1), []))

    def test_worst_results_do_not_count(self):
        quiz = Category("quiz", 10, drop=2)
        self.assertEqual(category_average(quiz, [(9, 10), (2, 10), (7, 10), (30, 100)]), 80)

    def test_one_result_always_counts(self):
        quiz = Category("quiz", 10, drop=2)
        self.assertEqual(category_average(quiz, [(4, 10), (6, 10)]), 60)
        self.assertEqual(category_average(quiz, [(4, 10)]), 40)

    def test_course(self):
        course = load_course(COURSE)
        self.assertEqual(course, [Category("homework", 40, 1), Category("exam", 60, 0)])
        self.assertEqual(final_grade(course, {"homework": [(0, 10), (10, 10)], "exam": [(50, 100)]}), 70)
        self.assertEqual(final_grade(course, {"exam": [(50, 100)]}), 50)

    def test_report(self):
        students = {"Zoe": {"exam": [(95, 100)]}, "Al": {}}
        self.assertEqual(report(load_course(COURSE), students), "Al: -\nZoe: 95.0 A")


if __name__ == "__main__":
    unittest.main()
