import unittest

from hangman import Game


class HangmanTest(unittest.TestCase):
    def test_single_letters(self):
        game = Game("dog")
        game.guess("o")
        self.assertEqual(game.text(), "_o_")
        game.guess("D")
        game.guess("g")
        self.assertTrue(game.won())
        self.assertEqual(game.lives, 8)

    def test_wrong_letter(self):
        game = Game("dog", lives=1)
        game.guess("x")
        self.assertEqual(game.text(), "___")
        self.assertTrue(game.lost())

    def test_letter_twice(self):
        game = Game("letter")
        game.guess("t")
        self.assertEqual(game.text(), "__tt__")
        game.guess("e")
        self.assertEqual(game.text(), "_ette_")
        self.assertEqual(game.lives, 8)


if __name__ == "__main__":
    unittest.main()
