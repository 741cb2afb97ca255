// The interoperability fixture server of the TypeScript SDK 1.x over HTTP (legacy era only).
//
// Usage: node server1.mjs http|stateless|sse

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { serve } from './serve1.mjs';

serve({ Server, types, SSEServerTransport, StreamableHTTPServerTransport }, process.argv[2]);
