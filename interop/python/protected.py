"""A FastMCP server that is protected by its own means, with tokens of the authorization server that
is named.

Usage: python protected.py ISSUER
"""

import asyncio
import os
import socket
import sys
import threading

from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.dependencies import get_access_token


def end_with_input():
    sys.stdin.read()
    os._exit(0)


issuer = sys.argv[1]
listener = socket.create_server(("127.0.0.1", 0))
base = f"http://127.0.0.1:{listener.getsockname()[1]}"
verifier = JWTVerifier(
    jwks_uri=f"{issuer}/jwks",
    issuer=issuer,
    audience=f"{base}/mcp",
    algorithm="RS256",
    required_scopes=["mcp"],
)
auth = RemoteAuthProvider(
    token_verifier=verifier, authorization_servers=[issuer], base_url=base
)
server = FastMCP("protected", auth=auth)


@server.tool
def who() -> str:
    """Says who asks."""
    token = get_access_token()
    return f"{token.claims['sub']}: {' '.join(token.scopes)}"


threading.Thread(target=end_with_input, daemon=True).start()
print(f"{base}/mcp", flush=True)
asyncio.run(server.run_http_async(show_banner=False, log_level="warning", sockets=[listener]))
