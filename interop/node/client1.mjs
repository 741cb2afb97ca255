// The interoperability client of the TypeScript SDK 1.x (legacy era only).
//
// Usage: node client1.mjs -- COMMAND ARGS… | URL

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { NotSupported } from './checklist.mjs';
import { run, transportOf } from './report.mjs';

const client = new Client(
  { name: 'interop-typescript-1', version: '1.0.0' },
  { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
);

const transport = transportOf({
  Stdio: StdioClientTransport,
  StreamableHttp: StreamableHTTPClientTransport,
  Sse: SSEClientTransport,
});

const peer = {
  action: 'accept',
  progress: [],
  logs: [],
  updates: [],
  toolChanges: 0,
  async start() {
    if (process.env.INTEROP_ERA === 'modern') {
      throw new NotSupported('the TypeScript SDK 1.x speaks only the legacy era');
    }
    await client.connect(transport);
    return client;
  },
  call: (params, options) => client.callTool(params, undefined, options),
  isModern: () => false,
  async subscribe(uri) {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
  watchTools: async () => async () => {},
  async close() {
    await transport.terminateSession?.();
    await client.close();
  },
};

client.setRequestHandler(ElicitRequestSchema, async () =>
  peer.action === 'accept' ? { action: 'accept', content: { name: 'Ada' } } : { action: peer.action },
);
client.setRequestHandler(CreateMessageRequestSchema, async () => ({
  role: 'assistant',
  model: 'interop',
  content: { type: 'text', text: 'short' },
}));
client.setRequestHandler(ListRootsRequestSchema, async () => ({
  roots: [{ uri: 'file:///project', name: 'project' }],
}));
client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void peer.progress.push(params));
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void peer.logs.push(params));
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void peer.updates.push(params.uri));
client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (peer.toolChanges += 1));

await run(peer);
