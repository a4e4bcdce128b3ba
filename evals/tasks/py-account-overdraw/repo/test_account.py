import unittest

import errors
from account import Account
from bank import transfer


class AccountTest(unittest.TestCase):
    def test_deposit_and_withdraw(self):
        account = Account("Ann", 10)
        account.deposit(15)
        account.withdraw(5)
        self.assertEqual(account.balance, 20)

    def test_invalid(self):
        with self.assertRaises(errors.InvalidAmount):
            Account("Ann", 10).withdraw(0)

    def test_too_much(self):
        account = Account("Ann", 20)
        with self.assertRaises(errors.InsufficientFunds) as caught:
            account.withdraw(50)
        self.assertEqual(str(caught.exception), "balance is 20, cannot withdraw 50")

    def test_transfer(self):
        a, b = Account("Ann", 30), Account("Bo")
        transfer(a, b, 10)
        self.assertEqual((a.balance, b.balance), (20, 10))


if __name__ == "__main__":
    unittest.main()
