import unittest

from workers.headers import attempt_of, trace_of
from workers.mail.notify import MailNotify


class HiddenTest(unittest.TestCase):
    def test_new_name_wins(self):
        self.assertEqual(attempt_of({"X-Attempt": "2", "x-attempt-number": "4"}), 4)
        self.assertEqual(attempt_of({"x-attempt-number": "4", "X-ATTEMPT": "2"}), 4)

    def test_values(self):
        self.assertEqual(attempt_of({"X-ATTEMPT": "2"}), 2)
        self.assertEqual(attempt_of({"x-attempt-number": "0"}), 1)
        self.assertEqual(attempt_of({"x-attempt": "-3"}), 1)
        self.assertEqual(attempt_of({"x-attempt": ""}), 1)
        self.assertIsNone(trace_of({}))

    def test_step(self):
        got = MailNotify().handle({"X-Attempt-Number": "2"}, {"done": ["a"]})
        self.assertEqual(got, {"step": "mail.notify", "attempt": 2, "job": {"done": ["a", "mail.notify"]}})


if __name__ == "__main__":
    unittest.main()
