"""A small AgentCall agent on another stack: Python and `websockets`, written from the profile alone.

It serves an A2A card and the WebSocket endpoint on one loopback port, prints `ready URL` when it listens,
and writes one JSON line for each thing it saw to standard output, so that a test can compare what was sent
with what arrived. Usage: workshop_agent.py [--keep DIR]. It ends when standard input is closed. With
--keep it writes each photo to DIR, as 1.jpg, 2.jpg and so on, and names the file in the line that tells of it.
"""

import argparse
import asyncio
import json
import pathlib
import sys

from websockets.asyncio.server import serve
from websockets.datastructures import Headers
from websockets.http11 import Response

from conversation import Album, Session, card, log


async def talk(socket, album):
    session = Session(socket, album)
    async for raw in socket:
        await session.hear(raw)
    log(saw="closed")


async def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--keep", metavar="DIR", type=pathlib.Path)
    album = Album(arguments.parse_args().keep)
    port = None

    def process_request(connection, request):
        if request.path == "/.well-known/agent-card.json":
            agui = {"url": f"http://127.0.0.1:{port}/talk", "transport": "websocket"}
            body = json.dumps(card("Python workshop", agui, voice_owner="client")).encode()
            headers = Headers([("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
            return Response(200, "OK", headers, body)
        if request.path != "/talk":
            return connection.respond(404, "not here\n")
        return None

    async with serve(lambda s: talk(s, album), "127.0.0.1", 0, process_request=process_request, max_size=1 << 20) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"ready http://127.0.0.1:{port}", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
