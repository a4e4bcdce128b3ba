"""Remembers changes for undo and redo."""


class History:
    def __init__(self, limit=100):
        self.limit = limit
        self._done = []
        self._undone = []

    def record(self, change):
        """Remembers a change that was just made. What was undone is lost."""
        self._undone.clear()
        self._done.append(change)
        if len(self._done) > self.limit:
            del self._done[0]

    def undo(self):
        """The change to revert, or None."""
        if not self._done:
            return None
        change = self._done.pop()
        self._undone.append(change)
        return change

    def redo(self):
        """The change to apply again, or None."""
        if not self._undone:
            return None
        change = self._undone.pop()
        self._done.append(change)
        return change

    def __len__(self):
        return len(self._done)
