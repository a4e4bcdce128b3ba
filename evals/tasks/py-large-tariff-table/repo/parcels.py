"""Prices of shipments of several parcels."""

from tariffs import price_of


def shipment_price(zone, weights):
    """Cents for all parcels; from the fifth on each is 10 % cheaper, rounded down."""
    prices = [price_of(zone, weight) for weight in weights]
    return sum(prices[:4]) + sum(price * 90 // 100 for price in prices[4:])
