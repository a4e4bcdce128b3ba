import os
import subprocess
import sys
import tempfile
import unittest

from show import show


class HiddenTest(unittest.TestCase):
    def test_gone(self):
        self.assertFalse(os.path.exists("compat.py"))
        for name in ("store.py", "show.py"):
            with open(name, encoding="utf-8") as file:
                source = file.read()
            for word in ("compat", "PY2", "text_type", "iteritems", "unicode"):
                self.assertNotIn(word, source)

    def test_show(self):
        self.assertEqual(show("x"), "x")
        self.assertEqual(show(True), "True")
        self.assertEqual(show({"b": {"c": 1000}, "a": None}), "a=None, b=c=1,000")

    def test_utf8_whatever_the_locale(self):
        path = os.path.join(tempfile.mkdtemp(), "notes")
        code = "import sys, store; store.save(sys.argv[1], {'a': '\\u20ac'}); assert store.load(sys.argv[1]) == {'a': '\\u20ac'}"
        env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([sys.executable, "-c", code, path], check=True, env=env)
        with open(path, "rb") as file:
            self.assertIn("\u20ac".encode("utf-8"), file.read())
