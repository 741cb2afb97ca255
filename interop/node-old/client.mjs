// The interoperability client of an old release of the TypeScript SDK over HTTP.
//
// Usage: node client.mjs sdk-1.0|sdk-1.9|sdk-1.12|sdk-1.20 -- URL

import { peerOf } from '../node/peer1.mjs';
import { run, serverUrl } from '../node/report.mjs';

const release = process.argv[2];
const isSse = serverUrl().pathname.endsWith('/sse');
const { Client } = await import(`${release}/client/index.js`);
const types = await import(`${release}/types.js`);
const transports = await import(`${release}/client/${isSse ? 'sse' : 'streamableHttp'}.js`);

// The browser's class, which releases before 1.1 expect to find.
globalThis.EventSource ??= (await import('eventsource')).EventSource;

await run(peerOf({ Client, types, ...transports }));
