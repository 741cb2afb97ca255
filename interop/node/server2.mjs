// The interoperability fixture server, written with the TypeScript SDK 2.x.
//
// It speaks stdio and both protocol eras. Tools that ask the client something
// return input requests; for legacy clients the SDK turns those into requests.

import { setTimeout as sleep } from 'node:timers/promises';
import { completable, inputRequired, inputResponse, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

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
    return text('touched');
  });
  tool('add_tool', {}, async () => {
    tool('extra', {}, async () => text('extra'));
    return text('added');
  });
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

serveStdio(() => {
  const server = new McpServer(
    { name: 'interop-fixture', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  addTools(server);
  addAskingTools(server);
  addContent(server);
  return server;
});
