import unittest

from gateway import Gateway


class GatewayTest(unittest.TestCase):
    def setUp(self):
        self.gateway = Gateway()

    def statuses(self, times, client="ann"):
        return [self.gateway.handle(client, "/", t)[0] for t in times]

    def test_limit(self):
        self.assertEqual(self.statuses([0, 1, 2, 3]), [200, 200, 200, 429])

    def test_clients_do_not_share(self):
        self.statuses([0, 1, 2])
        self.assertEqual(self.statuses([3], client="bob"), [200])

    def test_steady_client_is_always_allowed(self):
        self.assertEqual(self.statuses(range(0, 200, 20)), [200] * 10)

    def test_hammering_client_gets_in_again(self):
        self.assertEqual(self.statuses(range(0, 60, 10)), [200, 200, 200, 429, 429, 429])
        self.assertEqual(self.statuses([61]), [200])


if __name__ == "__main__":
    unittest.main()
