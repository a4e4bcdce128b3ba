"""One playlist."""


class Playlist:
    def __init__(self, name, songs=[]):
        self.name = name
        self.songs = []

    def add(self, title, seconds):
        """Puts a song at the end."""
        self.songs.append((title, seconds))
        return self

    def remove(self, title):
        """Takes a song out; nothing happens if it is not there."""
        self.songs = [song for song in self.songs if song[0] != title]

    def length(self):
        """The length of all songs, in seconds."""
        return sum(seconds for _, seconds in self.songs)

    def titles(self):
        return [title for title, _ in self.songs]
