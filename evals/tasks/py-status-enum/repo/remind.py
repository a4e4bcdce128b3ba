from bills import LATE


def to_remind(bills, today):
    for bill in bills:
        bill.age(today)
    return [bill.number for bill in bills if bill.status is LATE or bill.status == LATE]
