"""Remembers changes for undo and redo."""

from changes import Insert


class History:
    def __init__(self, limit=100):
        self.limit = limit
        self._done = []
        self._undone = []
        self._fresh = False

    def record(self, change):
        """Remembers a change that was just made. What was undone is lost."""
        self._undone.clear()
        if self._joins(change):
            last = self._done[-1]
            self._done[-1] = Insert(last.at, last.text + change.text)
            return
        self._fresh = False
        self._done.append(change)
        if len(self._done) > self.limit:
            del self._done[0]

    def _joins(self, change):
        """True when the change is a typed character that goes on where the last one ended."""
        if self._fresh or not self._done or not isinstance(change, Insert):
            return False
        last = self._done[-1]
        return change.text != " " and isinstance(last, Insert) and last.end == change.at

    def undo(self):
        """The change to revert, or None."""
        if not self._done:
            return None
        change = self._done.pop()
        self._fresh = True
        self._undone.append(change)
        return change

    def redo(self):
        """The change to apply again, or None."""
        if not self._undone:
            return None
        change = self._undone.pop()
        self._fresh = True
        self._done.append(change)
        return change

    def __len__(self):
        return len(self._done)
