import os
import unittest

from commands import export_csv
from tool import COMMANDS, main


class HiddenTest(unittest.TestCase):
    def test_gone(self):
        self.assertFalse(os.path.exists("commands/export_xml.py"))
        self.assertFalse(os.path.exists("test_export_xml.py"))
        self.assertTrue(os.path.exists("test_tool.py"))
        self.assertEqual(sorted(COMMANDS), ["export-csv", "show"])
        self.assertEqual(main(["xml"], []), "unknown command xml; there are: export-csv, show")
        for name in ("README.md", "tool.py", "commands/export_csv.py"):
            with open(name) as file:
                self.assertNotIn("xml", file.read().lower(), name)

    def test_csv(self):
        self.assertEqual(export_csv.escape(" a\tb\n"), "a b")
        self.assertEqual(main(["export-csv"], ["a\nb", "c"]), '"a b";"c"')

    def test_readme(self):
        with open("README.md") as file:
            text = file.read()
        self.assertIn("tool export-csv [SEPARATOR]", text)
        self.assertIn("Line breaks", text)
