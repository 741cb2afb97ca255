"""The interoperability fixture server, written with an old release of the Python SDK.

Usage: python server0.py

It speaks HTTP+SSE. What the release has not is not offered: structured results,
elicitation. FastMCP has no API for the server's version, log levels,
subscriptions, and for saying that tools change; the low-level server
underneath has.
"""

import json
from functools import partial

import anyio
from mcp import types
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.lowlevel import NotificationOptions
from pydantic import AnyUrl

from serve import serve

server = FastMCP("interop-fixture")
low_level = server._mcp_server
low_level.version = "1.0.0"
low_level.create_initialization_options = partial(
    low_level.create_initialization_options, NotificationOptions(tools_changed=True)
)
subscriptions: set[str] = set()


@server.tool()
def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool()
def add(a: float, b: float) -> dict:
    return {"sum": a + b}


@server.tool()
async def progress(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
    return "done"


@server.tool()
async def log(level: types.LoggingLevel, message: str, ctx: Context) -> str:
    await ctx.log(level, message, logger_name="fixture")
    return "logged"


@server.tool()
async def slow(ms: int) -> str:
    await anyio.sleep(ms / 1000)
    return "finished"


@server.tool()
def fail() -> str:
    raise ValueError("it failed")


@server.tool()
async def summarize(text: str, ctx: Context) -> str:
    question = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    answer = await ctx.session.create_message([question], max_tokens=100)
    return f"Summary: {answer.content.text}"


@server.tool()
async def show_roots(ctx: Context) -> str:
    answer = await ctx.session.list_roots()
    return ", ".join(str(root.uri) for root in answer.roots)


@server.tool()
async def touch(ctx: Context) -> str:
    if "memo://hello" in subscriptions:
        await ctx.session.send_resource_updated(AnyUrl("memo://hello"))
    return "touched"


@server.tool()
async def add_tool(ctx: Context) -> str:
    server.add_tool(lambda: "extra", name="extra")
    await ctx.session.send_tool_list_changed()
    return "added"


@server.resource("memo://hello", name="hello", mime_type="text/plain")
def hello() -> str:
    return "Hello from memo"


@server.resource("memo://logo", name="logo", mime_type="image/png")
def logo() -> bytes:
    return b"\x89PNG"


@server.resource("memo://item/{id}", name="item", mime_type="application/json")
def item(id: str) -> str:
    return json.dumps({"id": id}, separators=(",", ":"))


@server.prompt()
def greet(name: str, style: str = "friendly") -> str:
    return f"Please greet {name} in a {style} style"


@low_level.completion()
async def complete(ref, argument):
    match (ref, argument.name):
        case (types.PromptReference(name="greet"), "style"):
            offered = ["formal", "friendly"]
        case (types.ResourceReference(uri="memo://item/{id}"), "id"):
            offered = ["1", "2", "3"]
        case _:
            return None
    return types.Completion(values=[value for value in offered if value.startswith(argument.value)])


@low_level.set_logging_level()
async def set_logging_level(_level):
    """Accepts any level: this SDK sends every log message whatever the level."""


@low_level.subscribe_resource()
async def subscribe(uri):
    subscriptions.add(str(uri))


@low_level.unsubscribe_resource()
async def unsubscribe(uri):
    subscriptions.discard(str(uri))


if __name__ == "__main__":
    serve(server.sse_app(), "/sse")
