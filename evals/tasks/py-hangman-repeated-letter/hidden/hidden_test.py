import subprocess
import sys
import unittest

from hangman import Game


class HiddenTest(unittest.TestCase):
    def test_three_times(self):
        game = Game("banana")
        game.guess("a")
        self.assertEqual(game.text(), "_a_a_a")
        self.assertFalse(game.won())
        game.guess("n")
        game.guess("b")
        self.assertEqual(game.text(), "banana")
        self.assertTrue(game.won())
        self.assertEqual(game.lives, 8)

    def test_case(self):
        for letter in "aA":
            game = Game("Anna")
            game.guess(letter)
            self.assertEqual(game.text(), "A__a")

    def test_wrong_and_again(self):
        game = Game("banana", lives=3)
        game.guess("x")
        self.assertEqual(game.lives, 2)
        game.guess("X")
        self.assertEqual(game.lives, 2)
        game.guess("a")
        game.guess("a")
        self.assertEqual(game.lives, 2)
        self.assertEqual(game.text(), "_a_a_a")
        game.guess("y")
        self.assertFalse(game.lost())
        game.guess("z")
        self.assertTrue(game.lost())

    def test_not_letters(self):
        game = Game("tic-tac toe")
        self.assertEqual(game.text(), "___-___ ___")
        game.guess("t")
        self.assertEqual(game.text(), "t__-t__ t__")

    def test_program(self):
        done = subprocess.run([sys.executable, "play.py", "Otto"], input="x\no\nt\n", capture_output=True, text=True)
        self.assertTrue(done.stdout.rstrip().endswith("You won: Otto"), done.stdout)


if __name__ == "__main__":
    unittest.main()
