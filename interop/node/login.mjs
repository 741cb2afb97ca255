// A client of the TypeScript SDK, 1.x or 2.x, that logs in with its OAuth provider, calls `who`, and
// prints what it says.
//
// Usage: node login.mjs 1|2 -- URL

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const [release, , url] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } =
  release === '1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
        ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
      }
    : await import('@modelcontextprotocol/client');

const browser = fileURLToPath(new URL('browser.mjs', import.meta.url));
const kept = {};
let answered;

const authProvider = {
  redirectUrl: 'http://127.0.0.1:7777/callback',
  clientMetadata: {
    client_name: 'interop',
    redirect_uris: ['http://127.0.0.1:7777/callback'],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => 'interop-state',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  // Needed where the SDK has to know, after the redirect, whom it asked.
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (state) => void (kept.discovery = state),
  async redirectToAuthorization(page) {
    const env = { ...process.env, INTEROP_BROWSER: 'print' };
    const { stdout } = await promisify(execFile)(process.execPath, [browser, String(page)], { env });
    answered = new URL(stdout.trim()).searchParams;
  },
};

const connect = async () => {
  const client = new Client({ name: 'interop-login', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  return { client, transport, connected: client.connect(transport) };
};

let { client, transport, connected } = await connect();
try {
  await connected;
  throw new Error('the server let a stranger in');
} catch (error) {
  if (!(error instanceof UnauthorizedError)) {
    throw error;
  }
}
if (answered?.get('state') !== 'interop-state') {
  throw new Error(`the answer is to another login: ${answered}`);
}
await transport.finishAuth(release === '1' ? answered.get('code') : answered);
({ client, transport, connected } = await connect());
await connected;
const { content } = await client.callTool({ name: 'who', arguments: {} });
console.log(content[0].text);
await client.close();
