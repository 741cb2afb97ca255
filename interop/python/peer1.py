"""The Python SDK 1.x, any release of it, as the peer that checklist.py wants.

client1.py and client0.py add how to connect.
"""

from contextlib import asynccontextmanager

import anyio
from mcp import types
from pydantic import AnyUrl

from checklist import wire


class Peer1:
    modern = False

    def __init__(self):
        self.action = "accept"
        self.logs = []
        self.updates = []
        self.tool_changes = 0

    def callbacks(self):
        """What every release lets a session be given."""
        return {
            "sampling_callback": self.on_sample,
            "list_roots_callback": self.on_roots,
            "logging_callback": self.on_log,
            "message_handler": self.on_message,
        }

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
        notice = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(notice))

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

    def set_log_level(self, level):
        return self.session.set_logging_level(level)

    def ping(self):
        return self.session.send_ping()
