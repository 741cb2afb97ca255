// The TypeScript SDK 1.x, any release of it, as the peer that checklist.mjs wants.

import { NotSupported } from './checklist.mjs';
import { transportOf } from './report.mjs';

/** An `sdk` is what one release has: Client, types, and transports. */
export function peerOf({
  Client,
  types,
  StdioClientTransport: Stdio,
  StreamableHTTPClientTransport: StreamableHttp,
  SSEClientTransport: Sse,
}) {
  const elicits = types.ElicitRequestSchema !== undefined;
  const client = new Client(
    { name: 'interop-typescript-1', version: '1.0.0' },
    { capabilities: { ...(elicits && { elicitation: {} }), sampling: {}, roots: {} } },
  );
  const transport = transportOf({ Stdio, StreamableHttp, Sse });

  const peer = {
    // Elicitation and structured results came with the same revision.
    lacks: elicits ? [] : ['structured', 'elicit', 'elicit_decline'],
    hasProgressMessages: types.ProgressSchema.shape.message !== undefined,
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

  if (elicits) {
    client.setRequestHandler(types.ElicitRequestSchema, async () =>
      peer.action === 'accept' ? { action: 'accept', content: { name: 'Ada' } } : { action: peer.action },
    );
  }
  client.setRequestHandler(types.CreateMessageRequestSchema, async () => ({
    role: 'assistant',
    model: 'interop',
    content: { type: 'text', text: 'short' },
  }));
  client.setRequestHandler(types.ListRootsRequestSchema, async () => ({
    roots: [{ uri: 'file:///project', name: 'project' }],
  }));
  const on = (name, handler) => client.setNotificationHandler(types[`${name}NotificationSchema`], handler);
  on('Progress', ({ params }) => void peer.progress.push(params));
  on('LoggingMessage', ({ params }) => void peer.logs.push(params));
  on('ResourceUpdated', ({ params }) => void peer.updates.push(params.uri));
  on('ToolListChanged', () => void (peer.toolChanges += 1));
  return peer;
}
