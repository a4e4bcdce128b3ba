"""A text with a cursor."""

from changes import Delete, Insert
from history import History


class Editor:
    def __init__(self, text="", limit=100):
        self.text = text
        self.cursor = len(text)
        self.history = History(limit)

    def move(self, position):
        self.cursor = max(0, min(position, len(self.text)))

    def insert(self, text):
        """Inserts at the cursor: a typed character or a pasted text."""
        if text:
            self._do(Insert(self.cursor, text))
            self.cursor += len(text)

    def type(self, text):
        """Inserts a text character by character."""
        for character in text:
            self.insert(character)

    def backspace(self):
        if self.cursor > 0:
            self.cursor -= 1
            self._do(Delete(self.cursor, self.text[self.cursor]))

    def undo(self):
        change = self.history.undo()
        if change is None:
            return False
        self.text = change.revert(self.text)
        self.cursor = min(change.at, len(self.text))
        if isinstance(change, Delete):
            self.cursor = change.at + len(change.text)
        return True

    def redo(self):
        change = self.history.redo()
        if change is None:
            return False
        self.text = change.apply(self.text)
        self.cursor = change.end if isinstance(change, Insert) else change.at
        return True

    def _do(self, change):
        self.text = change.apply(self.text)
        self.history.record(change)
