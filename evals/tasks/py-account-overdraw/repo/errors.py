"""What can go wrong with an account."""


class AccountError(Exception):
    """The base of all errors here."""


class InvalidAmount(AccountError):
    """An amount that is zero or less."""
