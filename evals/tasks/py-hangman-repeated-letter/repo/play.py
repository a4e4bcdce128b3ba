"""Plays hangman: python3 play.py WORD"""

import sys

from hangman import Game

game = Game(sys.argv[1])
while not game.won() and not game.lost():
    print(f"{game.text()}  ({game.lives} lives)")
    game.guess(input("letter: ").strip()[:1] or "?")
print(f"You won: {game.word}" if game.won() else f"You lost, it was: {game.word}")
