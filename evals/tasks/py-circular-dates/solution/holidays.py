from dates import parse_date

HOLIDAYS = [parse_date(text) for text in ("1.1.2024", "1.5.2024", "25.12.2024")]


def is_holiday(day):
    return day in HOLIDAYS


def next_holiday(text):
    day = parse_date(text)
    return min((each for each in HOLIDAYS if each >= day), default=None)
