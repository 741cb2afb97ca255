"""An event store that keeps everything, for both SDK versions."""

from mcp.server.streamable_http import EventMessage, EventStore


class Events(EventStore):
    def __init__(self):
        self.events = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        last = int(last_event_id)
        stream_id, _ = self.events[last - 1]
        for number, (stream, message) in enumerate(self.events[last:], last + 1):
            if stream == stream_id and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream_id
