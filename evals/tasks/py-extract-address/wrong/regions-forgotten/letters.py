from address import Address
from customer import Customer


def read_customer(row):
    name, street, place = row.split("|")
    zip_code, city = place.split(" ", 1)
    return Customer(name, Address(street, zip_code, city))


def regions(customers):
    return sorted({customer.zip_code[0] for customer in customers})


def letters(rows, city):
    customers = [read_customer(row) for row in rows]
    return [customer.label() for customer in customers if customer.lives_in(city)]
