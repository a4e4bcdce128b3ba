"""Changes of a text. Each can be applied and reverted."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Insert:
    at: int
    text: str

    @property
    def end(self):
        """Where the inserted text ends."""
        return self.at + len(self.text)

    def apply(self, text):
        return text[: self.at] + self.text + text[self.at :]

    def revert(self, text):
        return text[: self.at] + text[self.end :]


@dataclass(frozen=True)
class Delete:
    at: int
    text: str

    def apply(self, text):
        return text[: self.at] + text[self.at + len(self.text) :]

    def revert(self, text):
        return text[: self.at] + self.text + text[self.at :]
