"""All playlists of a person."""

from playlist import Playlist


class Library:
    def __init__(self):
        self.playlists = {}

    def create(self, name):
        """A new, empty playlist. A name can be taken only once."""
        if name in self.playlists:
            raise ValueError(f"there is already a playlist {name}")
        self.playlists[name] = Playlist(name)
        return self.playlists[name]

    def longest(self):
        """The name of the longest playlist, None if there is none."""
        if not self.playlists:
            return None
        return max(self.playlists.values(), key=lambda playlist: playlist.length()).name
