def one():
    return 1


def two():
    return 2


if __name__ == "__main__":
    one()
