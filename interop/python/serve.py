"""Serves an ASGI application on a free port, prints its address, and ends with the input."""

import os
import socket
import sys
import threading

import uvicorn


def end_with_input():
    sys.stdin.read()
    os._exit(0)


def serve(app, path):
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=end_with_input, daemon=True).start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
