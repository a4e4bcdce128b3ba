"""One account."""

from errors import InsufficientFunds, InvalidAmount


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        """Pays in."""
        if amount <= 0:
            raise InvalidAmount(f"cannot deposit {amount}")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        """Takes out."""
        if amount <= 0:
            raise InvalidAmount(f"cannot withdraw {amount}")
        if amount > self.balance:
            raise InsufficientFunds(f"balance is {self.balance}, cannot withdraw {amount}")
        self.balance -= amount
        self.history.append(("withdraw", amount))
