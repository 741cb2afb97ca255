"""The interoperability client of the Python SDK 1.x (legacy era only).

Usage: python client1.py -- COMMAND ARGS… | URL
"""

import os

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from checklist import NotSupported
from peer1 import Peer1
from report import main, server_command, server_url


class Peer(Peer1):
    async def connect(self, stack):
        if os.environ.get("INTEROP_ERA") == "modern":
            raise NotSupported("the Python SDK 1.x speaks only the legacy era")
        read, write, *_ = await stack.enter_async_context(self.transport())
        session = ClientSession(
            read,
            write,
            client_info=types.Implementation(name="interop-python-1", version="1.0.0"),
            elicitation_callback=self.on_elicit,
            **self.callbacks(),
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

    def list_page(self, kind, cursor):
        return getattr(self.session, f"list_{kind}")(params=types.PaginatedRequestParams(cursor=cursor))

    def complete(self, kind, target, argument):
        if kind == "prompt":
            ref = types.PromptReference(type="ref/prompt", name=target)
        else:
            ref = types.ResourceTemplateReference(type="ref/resource", uri=target)
        return self.session.complete(ref, argument)


if __name__ == "__main__":
    main(Peer())
