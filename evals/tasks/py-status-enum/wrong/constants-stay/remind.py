from bills import Status


def to_remind(bills, today):
    for bill in bills:
        bill.age(today)
    return [bill.number for bill in bills if bill.status is Status.LATE]
