from pricing import Pricing

COLUMNS = [("Area", "area"), ("Kind", "__class__")]


def report(shapes, price):
    rows = []
    for shape in shapes:
        area = getattr(shape, COLUMNS[0][1])()
        rows.append(f"{type(shape).__name__}: {area:.1f} for {Pricing(price).calc(shape):.2f}")
    return rows
