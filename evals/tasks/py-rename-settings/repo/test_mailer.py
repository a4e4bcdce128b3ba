import unittest

import mailer
from mailer.report import describe


class MailerTest(unittest.TestCase):
    def test_new_name(self):
        self.assertEqual(mailer.load_settings({"MAILER_PORT": "2525"})["port"], 2525)

    def test_old_name_warns(self):
        with self.assertWarns(DeprecationWarning):
            self.assertEqual(mailer.get_cfg({})["port"], 25)

    def test_sender(self):
        sent = []
        mailer.Sender({}, lambda *a: sent.append(a)).send("a@example.com", "Hi", "text")
        self.assertEqual(sent[0][:2], ("localhost", 25))

    def test_describe(self):
        self.assertEqual(describe({}), "host=localhost, port=25, sender=news@example.com")


if __name__ == "__main__":
    unittest.main()
