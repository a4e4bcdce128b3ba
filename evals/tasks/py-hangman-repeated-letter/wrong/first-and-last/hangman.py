"""The rules of hangman."""


class Game:
    def __init__(self, word, lives=8):
        self.word = word
        self.lives = lives
        self.guessed = set()
        # what isn't a letter, such as a space, is shown from the beginning
        self.shown = ["_" if char.isalpha() else char for char in word]

    def guess(self, letter):
        """Uncovers the letter, or takes a life. A letter that was guessed before changes nothing."""
        letter = letter.lower()
        if letter in self.guessed:
            return
        self.guessed.add(letter)
        place = self.word.lower().find(letter)
        if place == -1:
            self.lives -= 1
        else:
            last = self.word.lower().rfind(letter)
            self.shown[place] = self.word[place]
            self.shown[last] = self.word[last]

    def text(self):
        return "".join(self.shown)

    def won(self):
        return "_" not in self.shown

    def lost(self):
        return self.lives <= 0
