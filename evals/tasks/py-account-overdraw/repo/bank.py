"""Moves money."""


def transfer(source, target, amount):
    """From one account to another."""
    source.withdraw(amount)
    target.deposit(amount)


def total(accounts):
    """What all accounts hold together."""
    return sum(account.balance for account in accounts)
