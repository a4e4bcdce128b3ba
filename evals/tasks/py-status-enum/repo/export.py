import bills


def to_csv(all_bills):
    rows = [f"{bill.number};{bill.cents};{bill.status}" for bill in all_bills]
    return "\n".join(["number;cents;status", *rows])


def from_csv(text, due):
    result = []
    for row in text.split("\n")[1:]:
        number, cents, status = row.split(";")
        bill = bills.Bill(number, int(cents), due)
        if status not in (bills.OPEN, bills.PAID, bills.LATE):
            raise ValueError(f"unknown status: {status}")
        bill.status = status
        result.append(bill)
    return result
