"""The checks that the Python clients run against a fixture server.

A peer is one SDK made uniform (peer1.py and client2.py hold them): it calls,
and keeps what the server has sent unasked in `logs`, `updates` and
`tool_changes`. report.py runs the checks and prints their outcomes.
"""

import base64
import json
import os

import anyio

LOG_LEVEL_META_KEY = "io.modelcontextprotocol/logLevel"
ITEM_TEMPLATE = "memo://item/{id}"
TOOLS = {"echo", "add", "progress", "log", "slow", "fail", "ask_name", "summarize", "show_roots", "touch"}

# The server's name before the gateway's names for what it has; nothing without a gateway.
BEHIND = os.environ.get("INTEROP_SERVER")

CHECKS = (
    "list_tools call structured call_error unknown_tool progress log cancel elicit elicit_decline sample roots "
    "list_resources read_text read_blob list_templates read_template read_missing subscribe list_changed "
    "list_prompts get_prompt complete_prompt complete_template ping"
).split()


class NotSupported(Exception):
    """Raised by a check that the SDK or the protocol era cannot run."""


def wire(model):
    """The JSON form of an SDK model; attribute names differ between 1.x and 2.x, JSON names do not."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def named(name):
    return f"{BEHIND}__{name}" if BEHIND else name


def equal(got, expected):
    if got != expected:
        raise AssertionError(f"got {got!r}, expected {expected!r}")


async def until(condition):
    """Waits for a condition; the check's own time limit ends the wait."""
    while not condition():
        await anyio.sleep(0.01)


class Checklist:
    """One method for each name in CHECKS, after the steps that they share."""

    def __init__(self, peer):
        self.peer = peer

    async def call_tool(self, name, arguments=None, **options):
        return wire(await self.peer.call(named(name), arguments or {}, **options))

    async def expect_text(self, name, arguments, expected):
        result = await self.call_tool(name, arguments)
        equal(result["content"][0]["text"], expected)
        equal(result.get("isError", False), False)

    async def all_pages(self, kind, field):
        items, cursor = [], None
        while True:
            page = wire(await self.peer.list_page(kind, cursor))
            items += page[field]
            cursor = page.get("nextCursor")
            if cursor is None:
                return items

    async def read_one(self, uri):
        (content,) = wire(await self.peer.read(uri))["contents"]
        return content

    async def fails(self, awaitable):
        try:
            result = wire(await awaitable)
        except Exception:
            return
        if not result.get("isError"):
            raise AssertionError("no error")

    async def list_tools(self):
        tools = await self.all_pages("tools", "tools")
        # A gateway does not wait long for a server that is slow to start.
        while BEHIND and not tools:
            await anyio.sleep(0.05)
            tools = await self.all_pages("tools", "tools")
        equal({named(tool) for tool in TOOLS} - {tool["name"] for tool in tools}, set())

    async def call(self):
        await self.expect_text("echo", {"message": "hi"}, "Echo: hi")

    async def structured(self):
        tools = {tool["name"]: tool for tool in await self.all_pages("tools", "tools")}
        if "outputSchema" not in tools[named("add")]:
            raise AssertionError("add has no output schema")
        result = await self.call_tool("add", {"a": 2, "b": 3})
        equal(result["structuredContent"], {"sum": 5})
        if not result["content"][0]["text"]:
            raise AssertionError("no text copy")

    async def call_error(self):
        result = await self.call_tool("fail")
        equal((result["isError"], result["content"][0]["text"]), (True, "it failed"))

    async def unknown_tool(self):
        await self.fails(self.peer.call(named("no_such_tool"), {}))

    async def progress(self):
        seen = []

        async def on_progress(progress, total, message):
            seen.append((progress, total, message))

        result = await self.call_tool("progress", {"steps": 3}, progress_callback=on_progress)
        equal(result["content"][0]["text"], "done")
        await until(lambda: len(seen) >= 3)
        equal(seen, [(step, 3, f"step {step}") for step in (1, 2, 3)])

    async def log(self):
        if self.peer.modern:
            options = {"meta": {LOG_LEVEL_META_KEY: "debug"}}
        else:
            options = {}
            await self.peer.set_log_level("debug")
        result = await self.call_tool("log", {"level": "warning", "message": "careful"}, **options)
        equal(result["content"][0]["text"], "logged")
        await until(lambda: self.peer.logs)
        seen = self.peer.logs[0]
        logger = f"{BEHIND}.fixture" if BEHIND else "fixture"
        equal((seen["level"], seen["logger"], seen["data"]), ("warning", logger, "careful"))

    async def cancel(self):
        await self.peer.call_and_cancel(named("slow"), {"ms": 60_000}, after_s=0.2)
        await self.call()

    async def elicit(self):
        self.peer.action = "accept"
        await self.expect_text("ask_name", {}, "Hello, Ada")

    async def elicit_decline(self):
        self.peer.action = "decline"
        await self.expect_text("ask_name", {}, "declined")

    async def sample(self):
        await self.expect_text("summarize", {"text": "a long text"}, "Summary: short")

    async def roots(self):
        await self.expect_text("show_roots", {}, "file:///project")

    async def list_resources(self):
        found = {r["uri"]: (r["name"], r["mimeType"]) for r in await self.all_pages("resources", "resources")}
        equal(found["memo://hello"], ("hello", "text/plain"))
        equal(found["memo://logo"], ("logo", "image/png"))

    async def read_text(self):
        content = await self.read_one("memo://hello")
        equal((content["uri"], content["mimeType"], content["text"]), ("memo://hello", "text/plain", "Hello from memo"))

    async def read_blob(self):
        content = await self.read_one("memo://logo")
        equal((content["mimeType"], base64.b64decode(content["blob"])), ("image/png", b"\x89PNG"))

    async def list_templates(self):
        templates = await self.all_pages("resource_templates", "resourceTemplates")
        found = {t["uriTemplate"]: (t["name"], t["mimeType"]) for t in templates}
        equal(found[ITEM_TEMPLATE], ("item", "application/json"))

    async def read_template(self):
        content = await self.read_one("memo://item/2")
        equal(json.loads(content["text"]), {"id": "2"})

    async def read_missing(self):
        await self.fails(self.peer.read("memo://nowhere"))

    async def subscribe(self):
        async with self.peer.subscription("memo://hello"):
            await self.call_tool("touch")
            await until(lambda: self.peer.updates)
        equal(self.peer.updates[0], "memo://hello")

    async def list_changed(self):
        async with self.peer.watching_tools():
            before = self.peer.tool_changes
            await self.call_tool("add_tool")
            await until(lambda: self.peer.tool_changes > before)
        tools = await self.all_pages("tools", "tools")
        equal([tool["name"] for tool in tools if tool["name"] == named("extra")], [named("extra")])

    async def list_prompts(self):
        prompts = {prompt["name"]: prompt for prompt in await self.all_pages("prompts", "prompts")}
        arguments = {a["name"]: a.get("required", False) for a in prompts[named("greet")]["arguments"]}
        equal(arguments, {"name": True, "style": False})

    async def get_prompt(self):
        for extra, style in (({}, "friendly"), ({"style": "formal"}, "formal")):
            (message,) = wire(await self.peer.get_prompt(named("greet"), {"name": "Ada", **extra}))["messages"]
            equal((message["role"], message["content"]["text"]), ("user", f"Please greet Ada in a {style} style"))

    async def complete_prompt(self):
        result = wire(await self.peer.complete("prompt", named("greet"), {"name": "style", "value": "fr"}))
        equal(result["completion"]["values"], ["friendly"])

    async def complete_template(self):
        result = wire(await self.peer.complete("resource", ITEM_TEMPLATE, {"name": "id", "value": ""}))
        equal(result["completion"]["values"], ["1", "2", "3"])

    async def ping(self):
        if self.peer.modern:
            raise NotSupported("the modern era has no ping")
        await self.peer.ping()
