import unittest

import errors
from account import Account
from bank import total, transfer


class HiddenTest(unittest.TestCase):
    def test_class(self):
        self.assertTrue(issubclass(errors.InsufficientFunds, errors.AccountError))
        self.assertFalse(issubclass(errors.InvalidAmount, errors.InsufficientFunds))

    def test_one_too_much(self):
        account = Account("Ann", 7)
        with self.assertRaises(errors.InsufficientFunds) as caught:
            account.withdraw(8)
        self.assertEqual(str(caught.exception), "balance is 7, cannot withdraw 8")
        self.assertEqual(account.balance, 7)
        self.assertEqual(account.history, [])

    def test_all_of_it(self):
        account = Account("Ann", 7)
        account.withdraw(7)
        self.assertEqual(account.balance, 0)
        self.assertEqual(account.history, [("withdraw", 7)])

    def test_invalid_amounts(self):
        account = Account("Ann")
        for amount in (0, -5):
            with self.assertRaises(errors.InvalidAmount):
                account.withdraw(amount)
            with self.assertRaises(errors.InvalidAmount):
                account.deposit(amount)

    def test_transfer(self):
        a, b = Account("Ann", 5), Account("Bo", 1)
        with self.assertRaises(errors.InsufficientFunds):
            transfer(a, b, 6)
        self.assertEqual((a.balance, b.balance, total([a, b])), (5, 1, 6))
        self.assertEqual(b.history, [])


if __name__ == "__main__":
    unittest.main()
