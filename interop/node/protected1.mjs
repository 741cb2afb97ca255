// A server of the TypeScript SDK 1.x that is protected by its own means: its metadata router and its
// bearer middleware, with tokens of the authorization server that is named.
//
// Usage: node protected1.mjs ISSUER

import { createServer } from 'node:http';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const issuer = process.argv[2];
const oauthMetadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri));

const app = express();
const server = createServer(app);
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`);

async function verifyAccessToken(token) {
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, audience: url.href });
    const scopes = payload.scope?.split(' ') ?? [];
    return { token, clientId: payload.client_id, scopes, expiresAt: payload.exp, extra: { sub: payload.sub } };
  } catch (error) {
    throw new InvalidTokenError(error.message);
  }
}

app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl: url, scopesSupported: ['mcp'] }));
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
app.use('/mcp', requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: ['mcp'], resourceMetadataUrl }));
app.all('/mcp', express.json(), async (request, response) => {
  const mcp = new McpServer({ name: 'protected', version: '1.0.0' });
  mcp.registerTool('who', { description: 'Says who asks' }, ({ authInfo }) => ({
    content: [{ type: 'text', text: `${authInfo.extra.sub}: ${authInfo.scopes.join(' ')}` }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await mcp.connect(transport);
  await transport.handleRequest(request, response, request.body);
});

process.stdin.on('end', () => process.exit(0)).resume();
console.log(url.href);
