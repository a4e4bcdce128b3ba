"""The route as JSON for the phone app."""

import json

import geo


def legs(stops):
    result = []
    for (name, point), (next_name, next_point) in zip(stops, stops[1:]):
        km = geo.distance_km(point, next_point)
        result.append({"from": name, "to": next_name, "distance_km": round(km, 1)})
    return result


def as_json(stops):
    return json.dumps({"legs": legs(stops)})
