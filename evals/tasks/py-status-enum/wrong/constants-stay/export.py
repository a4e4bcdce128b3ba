import bills


def to_csv(all_bills):
    rows = [f"{bill.number};{bill.cents};{bill.status.value}" for bill in all_bills]
    return "\n".join(["number;cents;status", *rows])


def from_csv(text, due):
    result = []
    for row in text.split("\n")[1:]:
        number, cents, status = row.split(";")
        bill = bills.Bill(number, int(cents), due)
        bill.status = bills.Status(status)
        result.append(bill)
    return result
