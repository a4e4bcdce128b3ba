import unittest

from logparse import Entry, parse
from logsummary import first_errors, noisiest, summary

LOG = [
    "  left over from rotation\n",
    "\n",
    "2024-05-02 10:31:07 WARN web: slow\n",
    "2024-05-02 10:31:08 WARNING web: slower\n",
    "2024-05-02 10:31:09 ERROR db: broke: twice\n",
    "Traceback:\n",
    "  indented\n",
    "\n",
    "last\n",
    "2024-05-02 10:31:10 DEBUG db: WARN is only text here\n",
]


class HiddenTest(unittest.TestCase):
    def test_messages(self):
        entries = parse(LOG)
        self.assertEqual(len(entries), 4)
        self.assertEqual(entries[2], Entry("2024-05-02 10:31:09", "ERROR", "db", "broke: twice\nTraceback:\n  indented\n\nlast"))
        self.assertEqual(entries[3].message, "WARN is only text here")

    def test_levels(self):
        self.assertEqual(summary(LOG), [("ERROR", 1), ("WARNING", 2), ("DEBUG", 1)])
        self.assertEqual(parse(LOG)[0].level, "WARNING")

    def test_others(self):
        self.assertEqual(noisiest(LOG), [("db", 1)])
        self.assertEqual(first_errors(LOG), ["broke: twice"])
        self.assertEqual(parse([]), [])
        self.assertEqual(parse(["junk\n", "more"]), [])


if __name__ == "__main__":
    unittest.main()
