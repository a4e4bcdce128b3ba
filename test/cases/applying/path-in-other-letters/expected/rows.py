"""Rows."""


def count(row):
    return len(row)


def first(row):
    return row[0]
