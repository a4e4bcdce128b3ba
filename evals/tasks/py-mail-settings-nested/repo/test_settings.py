import unittest

from mailer import envelope
from settings import load
from status import status


class SettingsTest(unittest.TestCase):
    def test_all(self):
        settings = load()
        self.assertEqual(settings["mail"]["host"], "mail.local")
        self.assertEqual(envelope(settings, "a@b.de")["server"], "mail.local:25")
        self.assertEqual(status(settings), "Club: 40 members, mail by mail.local")
