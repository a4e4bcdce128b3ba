import pathlib
import re
import unittest
import warnings

import mailer
from mailer import report


class HiddenTest(unittest.TestCase):
    def test_package_does_not_warn(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mailer.load_settings({})
            self.assertIn("port=3", report.describe({"MAILER_PORT": "3"}))
            mailer.Sender({"MAILER_HOST": "mx"}, lambda *a: None).send("a", "b", "c")

    def test_old_name_still_works_with_values(self):
        with self.assertWarns(DeprecationWarning):
            self.assertEqual(mailer.get_cfg({"MAILER_HOST": "mx"})["host"], "mx")
        self.assertIn("load_settings", mailer.__all__)
        self.assertIn("get_cfg", mailer.__all__)

    def test_users_of_the_old_name(self):
        for name in ("sender.py", "report.py"):
            self.assertNotRegex(pathlib.Path("mailer", name).read_text(), r"\bget_cfg\b")

    def test_defined_once(self):
        text = "".join(p.read_text() for p in pathlib.Path("mailer").glob("*.py"))
        self.assertEqual(len(re.findall(r"def load_settings\(", text)), 1)


if __name__ == "__main__":
    unittest.main()
