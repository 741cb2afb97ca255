// The interoperability client of the TypeScript SDK 1.x (legacy era only).
//
// Usage: node client1.mjs -- COMMAND ARGS… | URL

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { peerOf } from './peer1.mjs';
import { run } from './report.mjs';

await run(peerOf({ Client, types, StdioClientTransport, StreamableHTTPClientTransport, SSEClientTransport }));
