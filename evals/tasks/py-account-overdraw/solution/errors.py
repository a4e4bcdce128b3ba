"""What can go wrong with an account."""


class AccountError(Exception):
    """The base of all errors here."""


class InsufficientFunds(AccountError):
    """More was asked for than is there."""


class InvalidAmount(AccountError):
    """An amount that is zero or less."""
