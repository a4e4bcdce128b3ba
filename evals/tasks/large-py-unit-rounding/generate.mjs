// Writes a Python package of a weather service: a module for each station and measure, and a few that all of them use.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = process.argv[2];
function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text.startsWith('\n') ? text.slice(1) : text);
}

const regions = ['north', 'south', 'east', 'west', 'coast', 'hills'];
const places = ['airport', 'harbour', 'bridge', 'forest', 'lake', 'market', 'tower', 'valley', 'mill', 'field'];
const measures = { rain: 'mm', temperature: '°C', wind: 'm/s', pressure: 'hPa', humidity: '%' };

write('.gitignore', '__pycache__/\n*.pyc\n');
write('README.md', '# weather\n\nReadings of stations (`weather/stations`), reports on them (`weather/reports`) and the arithmetic of both (`weather/series`).\n');
write('weather/__init__.py', '"""Readings and reports of weather stations."""\n');
write('weather/stations/__init__.py', '"""One module for each station, by region."""\n');

for (const [r, region] of regions.entries()) {
  write(`weather/stations/${region}/__init__.py`, `"""Stations of the region ${region}."""\n`);
  for (const [p, place] of places.entries()) {
    write(`weather/stations/${region}/${place}/__init__.py`, `"""The station ${region}/${place}."""\n`);
    write(`weather/stations/${region}/${place}/site.py`, `
"""Where the station ${region}/${place} stands."""

from weather.core.site import Site

SITE = Site("${region}-${place}", height=${20 + r * 37 + p * 11}, latitude=${(47 + r * 0.31 + p * 0.017).toFixed(3)})
`);
    for (const [m, measure] of Object.keys(measures).entries()) {
      write(`weather/stations/${region}/${place}/${measure}.py`, `
"""${measure[0].toUpperCase()}${measure.slice(1)} at ${region}/${place}."""

from weather.core.sensor import Sensor

SENSOR = Sensor("${measure}", unit="${measures[measure]}", offset=${((r * 7 + p * 3 + m) % 5) / 10}, scale=${m === 0 ? 0.2 : 1.0})


def convert(raw):
    """A raw value of the sensor as ${measures[measure]}, or None where it sent nothing."""
    return SENSOR.convert(raw)
`);
    }
  }
}

write('weather/core/__init__.py', '"""What all stations share."""\n');
write('weather/core/site.py', `
"""Places of stations."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Site:
    name: str
    height: int
    latitude: float
`);
write('weather/core/sensor.py', `
"""Sensors: raw values to units."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sensor:
    measure: str
    unit: str
    offset: float = 0.0
    scale: float = 1.0

    def convert(self, raw):
        """A raw value in the unit of the sensor; None stays None."""
        if raw is None:
            return None
        return raw * self.scale + self.offset
`);
write('weather/series/__init__.py', '"""Arithmetic on lists of readings."""\n');
write('weather/series/gaps.py', `
"""Readings that are missing."""


def without_gaps(values):
    """The values that are there."""
    return [value for value in values if value is not None]


def gaps_as(values, filler):
    """The values with something else where they are missing."""
    return [filler if value is None else value for value in values]


def longest_gap(values):
    """How many values in a row are missing at most."""
    longest = run = 0
    for value in values:
        run = run + 1 if value is None else 0
        longest = max(longest, run)
    return longest
`);
write('weather/series/means.py', `
"""Averages and sums."""

from weather.series.gaps import gaps_as, without_gaps


def total(values):
    """The sum; what is missing counts nothing."""
    return sum(gaps_as(values, 0))


def mean(values):
    """The average of what is there, None when nothing is."""
    there = without_gaps(values)
    return sum(there) / len(there) if there else None


def daily_mean(values):
    """The sum by day, None when there are no days."""
    return total(values) / len(values) if values else None


def trend(values):
    """How much later values are above earlier ones: mean of the second half less mean of the first."""
    half = len(values) // 2
    first, second = mean(values[:half]), mean(values[half:])
    return None if first is None or second is None else second - first
`);
write('weather/reports/__init__.py', '"""Reports as text."""\n');
write('weather/reports/layout.py', `
"""How figures are written."""


def figure(value, unit, digits=1):
    """A figure with its unit; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f} {unit}"


def row(name, *cells):
    return " | ".join([f"{name:<16}", *cells])
`);
write('weather/reports/registry.py', `
"""Which report uses which average."""

from weather.series import means

WEEKLY = {"rain": means.daily_mean, "temperature": means.mean, "wind": means.mean, "pressure": means.mean, "humidity": means.mean}
MONTHLY = {"rain": means.total, "temperature": means.mean, "wind": means.mean, "pressure": means.mean, "humidity": means.mean}
`);
for (const span of ['weekly', 'monthly']) {
  write(`weather/reports/${span}.py`, `
"""The ${span} report of one station and measure."""

from importlib import import_module

from weather.reports.layout import figure, row
from weather.reports.registry import ${span.toUpperCase()}


def ${span}(region, place, measure, raws):
    """One row, from the raw value of each day (None for a day without a reading)."""
    station = import_module(f"weather.stations.{region}.{place}.{measure}")
    values = [station.convert(raw) for raw in raws]
    return row(f"{region}-{place}", figure(${span.toUpperCase()}[measure](values), station.SENSOR.unit))
`);
}
write('test_reports.py', `
import unittest

from weather.reports.monthly import monthly
from weather.reports.weekly import weekly


class ReportTest(unittest.TestCase):
    def test_week_with_all_days(self):
        self.assertEqual(weekly("north", "airport", "rain", [5, 10, 0, 0, 20, 0, 0]), "north-airport    | 1.0 mm")

    def test_week_with_a_missing_day(self):
        self.assertEqual(weekly("north", "airport", "rain", [6, 12, None, 0, 20, 0, 22]), "north-airport    | 2.0 mm")

    def test_month(self):
        self.assertEqual(monthly("north", "airport", "temperature", [10, None, 20]), "north-airport    | 15.1 °C")
        self.assertEqual(monthly("north", "airport", "rain", [5, None, 10]), "north-airport    | 3.0 mm")


if __name__ == "__main__":
    unittest.main()
`);
