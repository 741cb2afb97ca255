// Serves the fixture of SDK 1.x over HTTP, in one of three ways:
//   http       Streamable HTTP with sessions and an event store
//   stateless  Streamable HTTP without sessions, answers as JSON
//   sse        HTTP+SSE
// An `sdk` holds what they need of one release: Server, types, and the transports it has.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { fixture } from './fixture1.mjs';

/** Keeps every event of a session. */
export class Events {
  #events = [];

  async storeEvent(stream, message) {
    this.#events.push({ stream, message });
    return String(this.#events.length);
  }

  async getStreamIdForEventId(id) {
    return this.#events[Number(id) - 1]?.stream;
  }

  async replayEventsAfter(id, { send }) {
    const stream = await this.getStreamIdForEventId(id);
    for (const [index, event] of this.#events.entries()) {
      if (index >= Number(id) && event.stream === stream) {
        await send(String(index + 1), event.message);
      }
    }
    return stream;
  }
}

const ways = {
  http(sdk, state) {
    const sessions = new Map();
    return async (request, response) => {
      const id = request.headers['mcp-session-id'];
      let transport = sessions.get(id);
      if (id !== undefined && transport === undefined) {
        response.writeHead(404).end();
        return;
      }
      if (transport === undefined) {
        transport = new sdk.StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          eventStore: new Events(),
          onsessioninitialized: (opened) => void sessions.set(opened, transport),
        });
        transport.onclose = () => sessions.delete(transport.sessionId);
        await fixture(sdk, state).connect(transport);
      }
      await transport.handleRequest(request, response);
    };
  },
  stateless: (sdk, state) => async (request, response) => {
    const transport = new sdk.StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    await fixture(sdk, state).connect(transport);
    await transport.handleRequest(request, response);
  },
  sse(sdk, state) {
    const sessions = new Map();
    return async (request, response) => {
      const { pathname, searchParams } = new URL(request.url, 'http://localhost');
      const transport = sessions.get(searchParams.get('sessionId'));
      if (pathname === '/sse' && request.method === 'GET') {
        const opened = new sdk.SSEServerTransport('/messages', response);
        sessions.set(opened.sessionId, opened);
        await fixture(sdk, state).connect(opened);
      } else if (pathname === '/messages' && transport) {
        await transport.handlePostMessage(request, response);
      } else {
        response.writeHead(pathname === '/sse' ? 405 : 404).end();
      }
    };
  },
};

/** Listens on a free port and prints the address; ends with the input. */
export function listen(handler, path) {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}${path}`));
  process.stdin.on('end', () => process.exit()).resume();
}

export function serve(sdk, way) {
  const handle = ways[way](sdk, {});
  const answer = (request, response) =>
    handle(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  listen(answer, way === 'sse' ? '/sse' : '/mcp');
}
