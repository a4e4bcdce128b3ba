"""Makes messages and hands them to a transport."""

from .cfg import load_settings


class Sender:
    def __init__(self, env, transport):
        self.settings = load_settings(env)
        self.transport = transport

    def send(self, to, subject, body):
        message = {"from": self.settings["sender"], "to": to, "subject": subject, "body": body}
        self.transport(self.settings["host"], self.settings["port"], message)
        return message
