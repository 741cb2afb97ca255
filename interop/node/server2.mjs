// The interoperability fixture server, written with the TypeScript SDK 2.x.
//
// Usage: node server2.mjs [http|stateless]
//
// It speaks both protocol eras: over stdio, over HTTP with sessions for legacy
// clients (`http`), or with the SDK's default for them (`stateless`). Tools that ask the client something
// return input requests; for legacy clients the SDK turns those into requests.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { Events, listen } from './serve1.mjs';

/** Over HTTP every modern request has a server of its own, and this tells subscribers. */
let handler;
let hasExtra = false;

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const startingWith = (values) => (prefix) => values.filter((value) => value.startsWith(prefix));

function addTools(server) {
  const tool = (name, args, handler) => server.registerTool(name, { inputSchema: z.object(args) }, handler);

  tool('echo', { message: z.string() }, async ({ message }) => text(`Echo: ${message}`));
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  );
  tool('progress', { steps: z.int() }, async ({ steps }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let step = 1; progressToken !== undefined && step <= steps; step += 1) {
      const params = { progressToken, progress: step, total: steps, message: `step ${step}` };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return text('done');
  });
  tool('log', { level: z.string(), message: z.string() }, async ({ level, message }, { mcpReq }) => {
    await mcpReq.log(level, message, 'fixture');
    return text('logged');
  });
  tool('slow', { ms: z.int() }, async ({ ms }, { mcpReq }) => {
    await sleep(ms, undefined, { signal: mcpReq.signal });
    return text('finished');
  });
  tool('fail', {}, async () => ({ ...text('it failed'), isError: true }));
  tool('touch', {}, async () => {
    await server.server.sendResourceUpdated({ uri: 'memo://hello' });
    handler?.notify.resourceUpdated('memo://hello');
    return text('touched');
  });
  const addExtra = () => tool('extra', {}, async () => text('extra'));
  tool('add_tool', {}, async () => {
    hasExtra = true;
    addExtra();
    handler?.notify.toolsChanged();
    return text('added');
  });
  if (hasExtra) {
    addExtra();
  }
}

function addAskingTools(server) {
  /** Registers a tool that sends `question(args)` and then answers with `reply(answer)`. */
  const askingTool = (name, args, question, reply) =>
    server.registerTool(name, { inputSchema: z.object(args) }, async (values, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'answer');
      return answer.kind === 'missing'
        ? inputRequired({ inputRequests: { answer: question(values) } })
        : text(reply(answer));
    });

  askingTool(
    'ask_name',
    {},
    () => inputRequired.elicit({ message: 'What is your name?', requestedSchema: z.object({ name: z.string() }) }),
    ({ action, content }) => ({ accept: `Hello, ${content?.name}`, decline: 'declined', cancel: 'cancelled' })[action],
  );
  askingTool(
    'summarize',
    { text: z.string() },
    (args) =>
      inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: args.text } }],
        maxTokens: 100,
      }),
    ({ result }) => `Summary: ${[result.content].flat()[0].text}`,
  );
  askingTool('show_roots', {}, () => inputRequired.listRoots(), ({ roots }) => roots.map(({ uri }) => uri).join(', '));
}

function addContent(server) {
  const resource = (name, uri, mimeType, body) =>
    server.registerResource(name, uri, { mimeType }, async () => ({ contents: [{ uri, mimeType, ...body }] }));

  resource('hello', 'memo://hello', 'text/plain', { text: 'Hello from memo' });
  resource('logo', 'memo://logo', 'image/png', { blob: Buffer.from('89504e47', 'hex').toString('base64') });
  server.registerResource(
    'item',
    new ResourceTemplate('memo://item/{id}', { list: undefined, complete: { id: startingWith(['1', '2', '3']) } }),
    { mimeType: 'application/json' },
    async (uri, { id }) => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id }) }],
    }),
  );
  server.server.setRequestHandler('resources/subscribe', async () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', async () => ({}));

  const style = completable(z.string(), startingWith(['formal', 'friendly'])).optional();
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string(), style }) }, (args) => ({
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `Please greet ${args.name} in a ${args.style ?? 'friendly'} style` },
      },
    ],
  }));
}

function fixture() {
  const server = new McpServer(
    { name: 'interop-fixture', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  addTools(server);
  addAskingTools(server);
  addContent(server);
  return server;
}

/** Legacy requests belong to sessions; all others stand for themselves. */
function serveSessions() {
  const sessions = new Map();
  handler = createMcpHandler(fixture, { legacy: 'reject' });
  return async (request) => {
    if (!(await isLegacyRequest(request))) {
      return handler.fetch(request);
    }
    const id = request.headers.get('mcp-session-id');
    let transport = sessions.get(id);
    if (id !== null && transport === undefined) {
      return new Response(null, { status: 404 });
    }
    if (transport === undefined) {
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: new Events(),
        onsessioninitialized: (opened) => void sessions.set(opened, transport),
        onsessionclosed: (closed) => void sessions.delete(closed),
      });
      await fixture().connect(transport);
    }
    return transport.handleRequest(request);
  };
}

const ways = {
  http: () => listen(toNodeHandler({ fetch: serveSessions() }), '/mcp'),
  stateless() {
    handler = createMcpHandler(fixture);
    listen(toNodeHandler(handler), '/mcp');
  },
};
(ways[process.argv[2]] ?? (() => serveStdio(fixture)))();
