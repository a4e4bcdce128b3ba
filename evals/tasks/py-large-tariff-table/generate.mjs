// Writes tariffs.py: a long file of tables with a little code between and behind them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const limits = [250, 500, 1000, 2000, 3000, 5000, 7500, 10000, 15000, 20000, 25000, 31500];
let text = '"""Tariffs of parcels: for each zone steps of weight (grams, up to) and prices (cents)."""\n\nfrom bisect import bisect, bisect_left\n\n';
for (let zone = 1; zone <= 48; zone += 1) {
  text += `\nZONE_${zone} = [\n`;
  for (const [i, limit] of limits.entries()) text += `    (${limit}, ${290 + zone * 35 + i * (90 + zone * 4)}),\n`;
  text += ']\n';
  if (zone === 24) text += '\n\ndef zones_below(price, weight, zones):\n    """Zones whose price for a weight is below a price."""\n    return [zone for zone in zones if price_of(zone, weight) < price]\n\n';
}
text += `
ZONES = {number: globals()[f"ZONE_{number}"] for number in range(1, 49)}


class NoTariff(Exception):
    """Nothing in the tables fits."""


def step_of(zone, weight):
    """The place of the step that holds a weight."""
    if zone not in ZONES:
        raise NoTariff(f"zone {zone}")
    if weight <= 0:
        raise ValueError("weight must be positive")
    limits = [limit for limit, _ in ZONES[zone]]
    at = bisect(limits, weight)
    if at == len(limits):
        raise NoTariff(f"{weight} g")
    return at


def price_of(zone, weight):
    """The price of a parcel in cents."""
    return ZONES[zone][step_of(zone, weight)][1] if zone in ZONES else _unknown(zone)


def _unknown(zone):
    raise NoTariff(f"zone {zone}")


def cheapest_above(zone, price):
    """The smallest step that costs at least a price, None when none does."""
    prices = [cents for _, cents in ZONES[zone]]
    at = bisect_left(prices, price)
    return ZONES[zone][at] if at < len(prices) else None
`;
writeFileSync(join(process.argv[2], 'tariffs.py'), text);
