"""The interoperability fixture server, written with the Python SDK 1.x.

Usage: python server1.py [http|stateless|sse]

It speaks stdio, or HTTP, and the legacy era only. FastMCP has no API for the
server's version, log levels, subscriptions, and for saying that tools change;
the low-level server underneath has.
"""

import json
import sys
from functools import partial

import anyio
from mcp import types
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.lowlevel import NotificationOptions
from pydantic import AnyUrl, BaseModel

from events import Events
from serve import serve

server = FastMCP("interop-fixture", event_store=Events())
low_level = server._mcp_server
low_level.version = "1.0.0"
low_level.create_initialization_options = partial(
    low_level.create_initialization_options, NotificationOptions(tools_changed=True)
)
subscriptions: set[str] = set()


class Sum(BaseModel):
    sum: float


class Name(BaseModel):
    name: str


def text_tool(function):
    """A tool whose string result is plain text, without an output schema."""
    return server.tool(structured_output=False)(function)


@text_tool
def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool()
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@text_tool
async def progress(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps, f"step {step}")
    return "done"


@text_tool
async def log(level: types.LoggingLevel, message: str, ctx: Context) -> str:
    await ctx.log(level, message, logger_name="fixture")
    return "logged"


@text_tool
async def slow(ms: int) -> str:
    await anyio.sleep(ms / 1000)
    return "finished"


@server.tool()
def fail() -> types.CallToolResult:
    # An exception would be reported as "Error executing tool fail: it failed".
    return types.CallToolResult(isError=True, content=[types.TextContent(type="text", text="it failed")])


@text_tool
async def ask_name(ctx: Context) -> str:
    answer = await ctx.elicit("What is your name?", Name)
    match answer.action:
        case "accept":
            return f"Hello, {answer.data.name}"
        case "decline":
            return "declined"
        case _:
            return "cancelled"


@text_tool
async def summarize(text: str, ctx: Context) -> str:
    question = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    answer = await ctx.session.create_message([question], max_tokens=100)
    return f"Summary: {answer.content.text}"


@text_tool
async def show_roots(ctx: Context) -> str:
    answer = await ctx.session.list_roots()
    return ", ".join(str(root.uri) for root in answer.roots)


@text_tool
async def touch(ctx: Context) -> str:
    if "memo://hello" in subscriptions:
        await ctx.session.send_resource_updated(AnyUrl("memo://hello"))
    return "touched"


@text_tool
async def add_tool(ctx: Context) -> str:
    server.add_tool(lambda: "extra", name="extra", structured_output=False)
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


@server.completion()
async def complete(ref, argument, _context):
    match (ref, argument.name):
        case (types.PromptReference(name="greet"), "style"):
            offered = ["formal", "friendly"]
        case (types.ResourceTemplateReference(uri="memo://item/{id}"), "id"):
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


def http_app(way):
    if way == "sse":
        return server.sse_app()
    server.settings.stateless_http = server.settings.json_response = way == "stateless"
    return server.streamable_http_app()


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(http_app(sys.argv[1]), "/sse" if sys.argv[1] == "sse" else "/mcp")
    else:
        server.run("stdio")
