from datetime import date


def days_until(born, today):
    birthday = date(today.year, born.month, born.day)
    if birthday < today:
        birthday = date(today.year + 1, born.month, born.day)
    return (birthday - today).days


def upcoming(people, today):
    return sorted((days_until(born, today), name) for name, born in people)
