import subprocess
import sys
import unittest

from morse import decode, encode


class HiddenTest(unittest.TestCase):
    def test_round_trip(self):
        for text in ("A", "HELLO WORLD", "THE QUICK BROWN FOX", "0123456789", "MEET AT 7"):
            self.assertEqual(decode(encode(text)), text)

    def test_spaces(self):
        self.assertEqual(decode(".-/-..."), "A B")
        self.assertEqual(decode("  .-  -.   /   -...  "), "AN B")
        self.assertEqual(decode(""), "")

    def test_unknown(self):
        for signal in ("---- .-", ".- / x", "..--.. -"):
            with self.assertRaises(ValueError):
                decode(signal)
        with self.assertRaises(ValueError) as caught:
            decode("- / ..--..")
        self.assertIn("..--..", str(caught.exception))

    def test_encode_still_works(self):
        self.assertEqual(encode("Ab  c"), ".- -... / -.-.")
        with self.assertRaises(ValueError):
            encode("a!")

    def test_cli(self):
        run = lambda *args: subprocess.run([sys.executable, "cli.py", *args], capture_output=True, text=True)
        self.assertEqual(run("decode", "... --- ... / -. --- .--").stdout, "SOS NOW\n")
        self.assertEqual(run("decode", "--------").returncode, 1)


if __name__ == "__main__":
    unittest.main()
