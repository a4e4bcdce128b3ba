import json
import os
import tempfile
import unittest

from mailer import envelope
from settings import load
from status import status


def written(value):
    path = os.path.join(tempfile.mkdtemp(), "s.json")
    with open(path, "w") as file:
        json.dump(value, file)
    return path


class HiddenTest(unittest.TestCase):
    def test_files(self):
        with open("settings.json") as file:
            now = json.load(file)
        self.assertEqual(list(now), ["title", "mail", "members"])
        self.assertEqual(now["mail"], {"host": "mail.local", "port": 25, "from": "club@example.org"})
        with open("settings.example.json") as file:
            example = json.load(file)
        self.assertEqual(example, {"title": "Your club", "mail": {"host": "", "port": 587, "from": ""}, "members": 0})

    def test_readers(self):
        settings = load(written({"title": "T", "mail": {"host": "h", "from": "f@x"}, "members": 1}))
        self.assertEqual(envelope(settings, "t@x"), {"server": "h:25", "from": "f@x", "to": "t@x"})
        self.assertEqual(status(settings), "T: 1 members, mail by h")
        self.assertEqual(status(load(written({"title": "T", "mail": {"host": ""}, "members": 1}))), "T: 1 members, mail off")
        self.assertEqual(status(load(written({"title": "T", "members": 2}))), "T: 2 members, mail off")

    def test_old_form(self):
        with self.assertRaisesRegex(SystemExit, "smtp_host"):
            load(written({"title": "T", "smtp_host": "h", "mail_from": "f"}))
        with self.assertRaisesRegex(SystemExit, "mail_from"):
            load(written({"title": "T", "mail": {}, "mail_from": "f"}))
