"""The interoperability fixture server, written with the Python SDK 2.x.

Usage: python server2.py [http|stateless|sse]

It speaks stdio, or HTTP, and both protocol eras. What a tool asks of the client is a
`Resolve` parameter, which the SDK sends in the way of the connection's era.
MCPServer has no API for legacy log levels and subscriptions; the low-level
server underneath has.
"""

import json
import sys
from typing import Annotated

import anyio
from mcp import types
from mcp.server.elicitation import AcceptedElicitation, DeclinedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from pydantic import BaseModel

from events import Events
from serve import serve

server = MCPServer("interop-fixture", version="1.0.0")
low_level = server._lowlevel_server
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
    return types.CallToolResult(is_error=True, content=[types.TextContent(type="text", text="it failed")])


def name_question() -> Elicit[Name]:
    return Elicit("What is your name?", Name)


@text_tool
def ask_name(answer: Annotated[ElicitationResult[Name], Resolve(name_question)]) -> str:
    match answer:
        case AcceptedElicitation(data=data):
            return f"Hello, {data.name}"
        case DeclinedElicitation():
            return "declined"
        case _:
            return "cancelled"


def summary_question(text: str) -> Sample:
    content = types.TextContent(type="text", text=text)
    return Sample([types.SamplingMessage(role="user", content=content)], max_tokens=100)


@text_tool
def summarize(text: str, answer: Annotated[types.CreateMessageResult, Resolve(summary_question)]) -> str:
    return f"Summary: {answer.content.text}"


def roots_question() -> ListRoots:
    return ListRoots()


@text_tool
def show_roots(answer: Annotated[types.ListRootsResult, Resolve(roots_question)]) -> str:
    return ", ".join(str(root.uri) for root in answer.roots)


@text_tool
async def touch(ctx: Context) -> str:
    if "memo://hello" in subscriptions:
        await ctx.session.send_resource_updated("memo://hello")
    await ctx.notify_resource_updated("memo://hello")
    return "touched"


@text_tool
async def add_tool(ctx: Context) -> str:
    server.add_tool(lambda: "extra", name="extra", structured_output=False)
    await ctx.notify_tools_changed()
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


async def set_logging_level(_context, _params):
    return types.EmptyResult()


async def subscribe(_context, params):
    subscriptions.add(str(params.uri))
    return types.EmptyResult()


async def unsubscribe(_context, params):
    subscriptions.discard(str(params.uri))
    return types.EmptyResult()


low_level.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_logging_level)
low_level.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
low_level.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)

def http_app(way):
    if way == "sse":
        return server.sse_app()
    if way == "stateless":
        return server.streamable_http_app(stateless_http=True, json_response=True)
    return server.streamable_http_app(event_store=Events())


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(http_app(sys.argv[1]), "/sse" if sys.argv[1] == "sse" else "/mcp")
    else:
        server.run("stdio")
