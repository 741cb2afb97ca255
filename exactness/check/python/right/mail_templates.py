"""Renders mails, and sends them in the background."""

import collections
import functools
import itertools
import queue
import re
import smtplib
import threading
from datetime import datetime, timedelta
from email.message import EmailMessage
from string import Template
from typing import NamedTuple

import yaml
from jinja2 import (
    ChoiceLoader,
    DictLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateNotFound,
    select_autoescape,
)
from markupsafe import Markup, escape

try:
    from yaml import CSafeLoader as Loader
except ImportError:
    from yaml import SafeLoader as Loader

try:
    import uvloop
except ImportError:
    uvloop = None


class Mail(NamedTuple):
    to: str
    subject: str
    body: str


environment = Environment(
    loader=ChoiceLoader([FileSystemLoader("templates", encoding="utf-8"), DictLoader({"plain": "{{ text }}"})]),
    autoescape=select_autoescape(["html"], default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
)
environment.filters["money"] = lambda amount: f"{amount:,.2f} €"
environment.globals.update(now=datetime.now)


@functools.lru_cache(maxsize=32)
def settings(path: str) -> dict:
    with open(path, encoding="utf-8") as stream:
        return yaml.load(stream, Loader=Loader)


def render(name: str, **values: object) -> Markup:
    try:
        template = environment.get_template(name)
    except TemplateNotFound:
        template = environment.from_string("<p>{{ text }}</p>")
    return Markup(template.render(**values)) + escape(values.get("footer", ""))


def subject(line: str, **values: str) -> str:
    return re.sub(r"\s+", " ", Template(line).safe_substitute(values), flags=re.MULTILINE)


class Sender(threading.Thread):
    def __init__(self, host: str) -> None:
        super().__init__(name="sender", daemon=True)
        self.host = host
        self.waiting: queue.Queue[Mail | None] = queue.Queue(maxsize=100)
        self.sent = collections.Counter()

    def run(self) -> None:
        for mail in iter(self.waiting.get, None):
            message = EmailMessage()
            message["To"], message["Subject"] = mail.to, mail.subject
            message.set_content(mail.body, subtype="html")
            with smtplib.SMTP(self.host, timeout=10) as smtp:
                smtp.send_message(message)
            self.sent[mail.to] += 1


def batches(mails: list[Mail], size: int) -> list[list[Mail]]:
    waiting = iter(mails)
    return list(iter(lambda: list(itertools.islice(waiting, size)), []))


def soon() -> str:
    return (datetime.now() + timedelta(hours=2)).isoformat(timespec="minutes")
