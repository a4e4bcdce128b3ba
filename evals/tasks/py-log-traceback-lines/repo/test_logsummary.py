import unittest

from logparse import parse
from logsummary import noisiest, summary

PLAIN = """2024-05-02 10:31:07 INFO web: started
2024-05-02 10:31:09 ERROR db: no connection
2024-05-02 10:31:10 INFO web: GET /
""".splitlines(keepends=True)

TRACE = """2024-05-02 10:31:07 ERROR job: failed
Traceback (most recent call last):
  File "job.py", line 3, in run
ValueError: bad
2024-05-02 10:31:08 WARN job: again
""".splitlines(keepends=True)


class SummaryTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(summary(PLAIN), [("ERROR", 1), ("INFO", 2)])

    def test_noisiest(self):
        self.assertEqual(noisiest(PLAIN), [("db", 1)])

    def test_traceback(self):
        self.assertEqual(parse(TRACE)[0].message.split("\n")[-1], "ValueError: bad")

    def test_warn(self):
        self.assertEqual(summary(TRACE), [("ERROR", 1), ("WARNING", 1)])


if __name__ == "__main__":
    unittest.main()
