"""The interoperability client of the Python SDK 1.x (legacy era only).

Usage: python client1.py -- COMMAND ARGS… | URL
"""

import os
from contextlib import asynccontextmanager

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

from checklist import NotSupported, wire
from report import main, server_command, server_url


class Peer:
    modern = False

    def __init__(self):
        self.action = "accept"
        self.logs = []
        self.updates = []
        self.tool_changes = 0

    async def connect(self, stack):
        if os.environ.get("INTEROP_ERA") == "modern":
            raise NotSupported("the Python SDK 1.x speaks only the legacy era")
        read, write, *_ = await stack.enter_async_context(self.transport())
        session = ClientSession(
            read,
            write,
            client_info=types.Implementation(name="interop-python-1", version="1.0.0"),
            elicitation_callback=self.on_elicit,
            sampling_callback=self.on_sample,
            list_roots_callback=self.on_roots,
            logging_callback=self.on_log,
            message_handler=self.on_message,
        )
        self.session = await stack.enter_async_context(session)
        await self.session.initialize()

    def transport(self):
        if url := server_url():
            return sse_client(url) if url.endswith("/sse") else streamable_http_client(url)
        command, arguments = server_command()
        return stdio_client(StdioServerParameters(command=command, args=arguments, env=dict(os.environ)))

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
        if isinstance(getattr(message, "root", None), types.ResourceUpdatedNotification):
            self.updates.append(str(message.root.params.uri))
        if isinstance(getattr(message, "root", None), types.ToolListChangedNotification):
            self.tool_changes += 1

    def list_page(self, kind, cursor):
        return getattr(self.session, f"list_{kind}")(params=types.PaginatedRequestParams(cursor=cursor))

    def call(self, name, arguments, **options):
        return self.session.call_tool(name, arguments, **options)

    async def call_and_cancel(self, name, arguments, after_s):
        # SDK 1.x tells the server nothing when a call is abandoned, nor the caller its
        # request id: read the id that the next request gets, and send the notice by hand.
        request_id = self.session._request_id
        with anyio.move_on_after(after_s):
            await self.session.call_tool(name, arguments)
            raise AssertionError("the call ended before it was canceled")
        params = types.CancelledNotificationParams(requestId=request_id)
        await self.session.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))

    def read(self, uri):
        return self.session.read_resource(AnyUrl(uri))

    @asynccontextmanager
    async def subscription(self, uri):
        await self.session.subscribe_resource(AnyUrl(uri))
        yield
        await self.session.unsubscribe_resource(AnyUrl(uri))

    @asynccontextmanager
    async def watching_tools(self):
        yield

    def get_prompt(self, name, arguments):
        return self.session.get_prompt(name, arguments)

    def complete(self, kind, target, argument):
        if kind == "prompt":
            ref = types.PromptReference(type="ref/prompt", name=target)
        else:
            ref = types.ResourceTemplateReference(type="ref/resource", uri=target)
        return self.session.complete(ref, argument)

    def set_log_level(self, level):
        return self.session.set_logging_level(level)

    def ping(self):
        return self.session.send_ping()


if __name__ == "__main__":
    main(Peer())
