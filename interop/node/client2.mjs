// The interoperability client of the TypeScript SDK 2.x.
//
// Usage: node client2.mjs -- COMMAND ARGS… | URL
//
// INTEROP_ERA=legacy|modern fixes the protocol era and `auto` probes for it;
// without it the SDK's default applies, which is legacy.

import assert from 'node:assert/strict';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { run, transportOf } from './report.mjs';

const era = process.env.INTEROP_ERA;
const modes = { legacy: 'legacy', modern: { pin: '2026-07-28' }, auto: 'auto' };
const client = new Client(
  { name: 'interop-typescript-2', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    ...(era && { versionNegotiation: { mode: modes[era] } }),
  },
);

const transport = transportOf({
  Stdio: StdioClientTransport,
  StreamableHttp: StreamableHTTPClientTransport,
  Sse: SSEClientTransport,
});

const peer = {
  hasProgressMessages: true,
  action: 'accept',
  progress: [],
  logs: [],
  updates: [],
  toolChanges: 0,
  async start() {
    await client.connect(transport);
    if (era && era !== 'auto') {
      assert.equal(client.getProtocolEra(), era);
    }
    return client;
  },
  call: (params, options) => client.callTool(params, options),
  isModern: () => client.getProtocolEra() === 'modern',
  async subscribe(uri) {
    if (peer.isModern()) {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    }
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
  async watchTools() {
    const subscription = peer.isModern() ? await client.listen({ toolsListChanged: true }) : undefined;
    return async () => subscription?.close();
  },
  async close() {
    await transport.terminateSession?.();
    await client.close();
  },
};

client.setRequestHandler('elicitation/create', async () =>
  peer.action === 'accept' ? { action: 'accept', content: { name: 'Ada' } } : { action: peer.action },
);
client.setRequestHandler('sampling/createMessage', async () => ({
  role: 'assistant',
  model: 'interop',
  content: { type: 'text', text: 'short' },
}));
client.setRequestHandler('roots/list', async () => ({
  roots: [{ uri: 'file:///project', name: 'project' }],
}));
client.setNotificationHandler('notifications/progress', ({ params }) => void peer.progress.push(params));
client.setNotificationHandler('notifications/message', ({ params }) => void peer.logs.push(params));
client.setNotificationHandler('notifications/resources/updated', ({ params }) => void peer.updates.push(params.uri));
client.setNotificationHandler('notifications/tools/list_changed', () => void (peer.toolChanges += 1));

await run(peer);
