"""The interoperability client of an old release of the Python SDK, over HTTP+SSE.

Usage: python client0.py -- URL
"""

from mcp import ClientSession, types
from mcp.client.sse import sse_client

from checklist import NotSupported
from peer1 import Peer1
from report import main, server_url


class Peer(Peer1):
    lacks = ("structured", "progress", "elicit", "elicit_decline")

    async def connect(self, stack):
        read, write = await stack.enter_async_context(sse_client(server_url()))
        self.session = await stack.enter_async_context(ClientSession(read, write, **self.callbacks()))
        await self.session.initialize()

    async def list_page(self, kind, cursor):
        if cursor is not None:
            raise NotSupported("this release cannot ask for a second page")
        return await getattr(self.session, f"list_{kind}")()

    def complete(self, kind, target, argument):
        if kind == "prompt":
            ref = types.PromptReference(type="ref/prompt", name=target)
        else:
            ref = types.ResourceReference(type="ref/resource", uri=target)
        return self.session.complete(ref, argument)


if __name__ == "__main__":
    main(Peer())
