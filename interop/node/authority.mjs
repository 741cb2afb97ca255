// A real authorization server, `oidc-provider`, on a free port: prints its issuer, and ends with its
// input. Its user agrees to everything at once. Access tokens are JWTs for the resource that was
// asked for, signed by RS256.

import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const server = createServer((request, response) => handle(request, response));
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  scopes: ['openid', 'offline_access', 'mcp'],
  pkce: { required: () => true },
  cookies: { keys: ['interop'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({
        scope: 'mcp',
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 600,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});
const callback = provider.callback();

/** Logs in and agrees, whatever is asked. */
async function interact(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope ?? 'openid');
  grant.addResourceScope(params.resource, params.scope ?? 'mcp');
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

function handle(request, response) {
  if (!request.url.startsWith('/interaction/')) {
    return callback(request, response);
  }
  interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
}

process.stdin.on('end', () => process.exit(0)).resume();
console.log(issuer);
