// The interoperability fixture server of an old release of the TypeScript SDK over HTTP.
//
// Usage: node server.mjs sdk-1.0|sdk-1.9|sdk-1.12|sdk-1.20 http|stateless|sse

import { serve } from '../node/serve1.mjs';

const [release, way] = process.argv.slice(2);
const transport = way === 'sse' ? 'sse' : 'streamableHttp';
const { Server } = await import(`${release}/server/index.js`);
const types = await import(`${release}/types.js`);

serve({ Server, types, ...(await import(`${release}/server/${transport}.js`)) }, way);
