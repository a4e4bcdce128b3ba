def one():
    return 1


if __name__ == "__main__":
    one()
