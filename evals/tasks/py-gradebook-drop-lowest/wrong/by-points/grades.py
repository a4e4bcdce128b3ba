"""Grades of a course."""

import json
from dataclasses import dataclass


@dataclass
class Category:
    name: str
    weight: float
    drop: int = 0


def load_course(text):
    """Categories from a course file such as {"homework": {"weight": 40, "drop": 1}, "exam": {"weight": 60}}."""
    return [Category(name, entry["weight"], entry.get("drop", 0)) for name, entry in json.loads(text).items()]


def category_average(category, results):
    """Average of (points, maximum) pairs in percent, each result counts the same; None without results."""
    if not results:
        return None
    counted = sorted(results)[min(category.drop, len(results) - 1) :]
    percents = [100 * points / maximum for points, maximum in counted]
    return sum(percents) / len(percents)


def final_grade(categories, results):
    """Average over the categories that have results, by their weights; rounded to one decimal."""
    total = 0
    weights = 0
    for category in categories:
        average = category_average(category, results.get(category.name, []))
        if average is None:
            continue
        total += average * category.weight
        weights += category.weight
    return round(total / weights, 1) if weights else None
