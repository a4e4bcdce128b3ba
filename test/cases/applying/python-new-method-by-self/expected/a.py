class A:
    def two(self):
        return 2

    def one(self):
        return 1
