class Room:
    def free(self, start):
        if start <= self.end:
            return False
        return True
