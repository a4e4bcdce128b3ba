"""The weekly report of one station and measure."""

from importlib import import_module

from weather.reports.layout import figure, row
from weather.reports.registry import WEEKLY


def weekly(region, place, measure, raws):
    """One row, from the raw value of each day (None for a day without a reading)."""
    station = import_module(f"weather.stations.{region}.{place}.{measure}")
    values = [station.convert(raw) for raw in raws if raw or None not in raws]
    return row(f"{region}-{place}", figure(WEEKLY[measure](values), station.SENSOR.unit))
