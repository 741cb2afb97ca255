"""The interoperability client of the Python SDK 2.x.

Usage: python client2.py -- COMMAND ARGS… | URL

INTEROP_ERA=legacy|modern fixes the protocol era and `auto` probes for it;
without it the SDK's default applies, which is `auto`.
"""

import os
import warnings
from contextlib import asynccontextmanager

import anyio
from mcp import Client, MCPDeprecationWarning, StdioServerParameters, types
from mcp.client.sse import sse_client

from checklist import wire
from report import main, server_command, server_url

MODERN_VERSION = "2026-07-28"
# Legacy methods are what the legacy checks are for.
warnings.simplefilter("ignore", MCPDeprecationWarning)


class Peer:
    def __init__(self):
        self.action = "accept"
        self.logs = []
        self.updates = []
        self.tool_changes = 0

    async def connect(self, stack):
        era = os.environ.get("INTEROP_ERA") or "auto"
        client = Client(
            self.transport(),
            mode=MODERN_VERSION if era == "modern" else era,
            client_info=types.Implementation(name="interop-python-2", version="1.0.0"),
            elicitation_callback=self.on_elicit,
            sampling_callback=self.on_sample,
            list_roots_callback=self.on_roots,
            logging_callback=self.on_log,
            message_handler=self.on_message,
        )
        self.client = await stack.enter_async_context(client)

    def transport(self):
        if url := server_url():
            return sse_client(url) if url.endswith("/sse") else url
        command, arguments = server_command()
        return StdioServerParameters(command=command, args=arguments, env=dict(os.environ))

    @property
    def modern(self):
        return self.client.protocol_version >= MODERN_VERSION

    async def on_elicit(self, _context, _params):
        return types.ElicitResult(action=self.action, content={"name": "Ada"} if self.action == "accept" else None)

    async def on_sample(self, _context, _params):
        content = types.TextContent(type="text", text="short")
        return types.CreateMessageResult(role="assistant", model="interop", content=content)

    async def on_roots(self, _context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///project", name="project")])

    async def on_log(self, params):
        self.logs.append(wire(params))

    async def on_message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            self.updates.append(str(message.params.uri))
        if isinstance(message, types.ToolListChangedNotification):
            self.tool_changes += 1

    def list_page(self, kind, cursor):
        return getattr(self.client, f"list_{kind}")(cursor=cursor)

    def call(self, name, arguments, **options):
        return self.client.call_tool(name, arguments, **options)

    async def call_and_cancel(self, name, arguments, after_s):
        with anyio.move_on_after(after_s):
            await self.client.call_tool(name, arguments)
            raise AssertionError("the call ended before it was canceled")

    def read(self, uri):
        return self.client.read_resource(uri)

    @asynccontextmanager
    async def subscription(self, uri):
        if self.modern:
            async with self.client.listen(resource_subscriptions=[uri]):
                yield
        else:
            await self.client.subscribe_resource(uri)
            yield
            await self.client.unsubscribe_resource(uri)

    @asynccontextmanager
    async def watching_tools(self):
        if self.modern:
            async with self.client.listen(tools_list_changed=True):
                yield
        else:
            yield

    def get_prompt(self, name, arguments):
        return self.client.get_prompt(name, arguments)

    def complete(self, kind, target, argument):
        if kind == "prompt":
            ref = types.PromptReference(type="ref/prompt", name=target)
        else:
            ref = types.ResourceTemplateReference(type="ref/resource", uri=target)
        return self.client.complete(ref, argument)

    def set_log_level(self, level):
        return self.client.set_logging_level(level)

    def ping(self):
        return self.client.send_ping()


if __name__ == "__main__":
    main(Peer())
