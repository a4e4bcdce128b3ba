import subprocess
import sys
import unittest
from datetime import date

import app
import dates
import holidays


class HiddenTest(unittest.TestCase):
    def test_parse_date(self):
        self.assertEqual(dates.parse_date(" 3.2.2024"), date(2024, 2, 3))
        self.assertEqual(dates.parse_date.__module__, "dates")
        with self.assertRaises(ValueError):
            dates.parse_date("2024-01-01")

    def test_works(self):
        self.assertTrue(app.is_open("2.1.2024"))
        self.assertFalse(app.is_open("25.12.2024"))
        self.assertEqual(holidays.next_holiday("2.1.2024"), date(2024, 5, 1))
        self.assertIsNone(holidays.next_holiday("26.12.2024"))

    def test_one_place(self):
        for name in ("app.py", "holidays.py"):
            with open(name) as file:
                source = file.read()
            self.assertNotIn("def parse_date", source)
            self.assertNotIn("re.compile", source)
            self.assertIn("dates", source)

    def test_each_module_can_be_imported_first(self):
        for name in ("app", "holidays", "dates"):
            subprocess.run([sys.executable, "-B", "-c", f"import {name}"], check=True)
        code = "import holidays, dates, sys; sys.exit('app' in sys.modules)"
        subprocess.run([sys.executable, "-B", "-c", code], check=True)
