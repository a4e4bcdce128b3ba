"""Bills for water."""

from meter import usage


def bill(meter, readings, price, base_fee=0):
    """Amount in cents: the price for each cubic metre and a fee for each period between two readings."""
    periods = usage(meter, readings)
    return sum(used * price + base_fee for _, used in periods)


def daily_average(meter, readings):
    """Cubic metres a day over all readings, None when there are too few."""
    periods = usage(meter, readings)
    days = sum(days for days, _ in periods)
    if days == 0:
        return None
    return round(sum(used for _, used in periods) / days, 2)
