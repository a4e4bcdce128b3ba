import contextlib
import inspect
import io
import os
import tempfile
import unittest

from clean import clean
from main import main
from scan import scan


def folder():
    path = tempfile.mkdtemp()
    for name in ("a.tmp", "b.txt", "c.tmp"):
        open(os.path.join(path, name), "w").close()
    return path


class HiddenTest(unittest.TestCase):
    def test_parameters(self):
        self.assertEqual(list(inspect.signature(scan).parameters), ["folder", "pattern"])
        self.assertEqual(list(inspect.signature(clean).parameters), ["folder", "pattern", "dry"])
        for name in ("scan.py", "clean.py", "main.py"):
            with open(name) as file:
                source = file.read()
            self.assertNotIn("verbose", source, name)
            self.assertNotIn("looking at", source)
            self.assertNotIn("would remove", source)

    def test_dry(self):
        path = folder()
        self.assertEqual([os.path.basename(p) for p in clean(path, ".tmp", dry=True)], ["a.tmp", "c.tmp"])
        self.assertEqual(len(os.listdir(path)), 3)
        clean(path, ".tmp")
        self.assertEqual(os.listdir(path), ["b.txt"])

    def test_command(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            main([folder(), ".tmp", "-n"])
        self.assertEqual(out.getvalue(), "2 files would be removed\n")
        for option in ("-v", "--verbose"):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                main([folder(), ".tmp", option])
