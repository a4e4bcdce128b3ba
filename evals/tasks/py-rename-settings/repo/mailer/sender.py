"""Makes messages and hands them to a transport."""

from .cfg import get_cfg


class Sender:
    def __init__(self, env, transport):
        self.settings = get_cfg(env)
        self.transport = transport

    def send(self, to, subject, body):
        message = {"from": self.settings["sender"], "to": to, "subject": subject, "body": body}
        self.transport(self.settings["host"], self.settings["port"], message)
        return message
