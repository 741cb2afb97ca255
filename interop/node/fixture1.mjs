// The fixture on the low-level server of the TypeScript SDK 1.x, whose API is the same from the
// first release to the last. What a release has not is left out: it is asked of its types.

import { setTimeout as sleep } from 'node:timers/promises';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const string = { type: 'string' };
const number = { type: 'number' };

const ARGUMENTS = {
  echo: object({ message: string }),
  add: object({ a: number, b: number }),
  progress: object({ steps: number }),
  log: object({ level: string, message: string }),
  slow: object({ ms: number }),
  fail: object({}),
  ask_name: object({}),
  summarize: object({ text: string }),
  show_roots: object({}),
  touch: object({}),
  add_tool: object({}),
};

const RESOURCES = [
  { uri: 'memo://hello', name: 'hello', mimeType: 'text/plain' },
  { uri: 'memo://logo', name: 'logo', mimeType: 'image/png' },
];
const COMPLETIONS = { greet: ['formal', 'friendly'], 'memo://item/{id}': ['1', '2', '3'] };

/** The tools, given a way to tell and to ask the client within the request that called. */
function tools(server, types, state) {
  return {
    echo: ({ message }) => text(`Echo: ${message}`),
    add: ({ a, b }) => {
      const sum = { sum: a + b };
      return { ...text(JSON.stringify(sum)), ...(types.ElicitRequestSchema && { structuredContent: sum }) };
    },
    async progress({ steps }, { tell, progressToken }) {
      for (let step = 1; progressToken !== undefined && step <= steps; step += 1) {
        await tell('progress', { progressToken, progress: step, total: steps, message: `step ${step}` });
      }
      return text('done');
    },
    async log({ level, message }, { tell }) {
      await tell('message', { level, logger: 'fixture', data: message });
      return text('logged');
    },
    async slow({ ms }, { signal }) {
      await sleep(ms, undefined, { signal });
      return text('finished');
    },
    fail: () => ({ ...text('it failed'), isError: true }),
    async ask_name(_, { ask }) {
      const requestedSchema = object({ name: string });
      const params = { message: 'What is your name?', requestedSchema };
      const { action, content } = await ask('elicitation/create', params, types.ElicitResultSchema);
      return text({ accept: `Hello, ${content?.name}`, decline: 'declined', cancel: 'cancelled' }[action]);
    },
    async summarize(args, { ask }) {
      const messages = [{ role: 'user', content: { type: 'text', text: args.text } }];
      const params = { messages, maxTokens: 100 };
      const { content } = await ask('sampling/createMessage', params, types.CreateMessageResultSchema);
      return text(`Summary: ${content.text}`);
    },
    async show_roots(_, { ask }) {
      const { roots } = await ask('roots/list', undefined, types.ListRootsResultSchema);
      return text(roots.map(({ uri }) => uri).join(', '));
    },
    async touch() {
      await server.sendResourceUpdated({ uri: 'memo://hello' });
      return text('touched');
    },
    async add_tool() {
      state.extra = true;
      await server.sendToolListChanged();
      return text('added');
    },
  };
}

function read(types, uri) {
  const item = /^memo:\/\/item\/(.+)$/.exec(uri)?.[1];
  if (uri === 'memo://hello') {
    return { mimeType: 'text/plain', text: 'Hello from memo' };
  }
  if (uri === 'memo://logo') {
    return { mimeType: 'image/png', blob: Buffer.from('89504e47', 'hex').toString('base64') };
  }
  if (item !== undefined) {
    return { mimeType: 'application/json', text: JSON.stringify({ id: item }) };
  }
  throw new types.McpError(-32002, 'Resource not found', { uri });
}

/** A fixture server; `state` is what all servers of a process share. */
export function fixture({ Server, types }, state) {
  const server = new Server(
    { name: 'interop-fixture', version: '1.0.0' },
    {
      capabilities: {
        logging: {},
        completions: {},
        prompts: {},
        resources: { subscribe: true },
        tools: { listChanged: true },
      },
    },
  );
  const handlers = tools(server, types, state);
  if (!types.ElicitRequestSchema) {
    delete handlers.ask_name;
  }
  const on = (name, handler) => server.setRequestHandler(types[`${name}RequestSchema`], handler);

  on('ListTools', () => {
    const listed = Object.keys(handlers).map((name) => ({ name, inputSchema: ARGUMENTS[name] }));
    if (types.ElicitRequestSchema) {
      listed.find(({ name }) => name === 'add').outputSchema = object({ sum: number });
    }
    return { tools: state.extra ? [...listed, { name: 'extra', inputSchema: object({}) }] : listed };
  });
  on('CallTool', ({ params }, extra) => {
    const handler = handlers[params.name];
    if (!handler) {
      throw new types.McpError(-32602, `Unknown tool: ${params.name}`);
    }
    const notify = extra?.sendNotification ?? ((notification) => server.notification(notification));
    const request = extra?.sendRequest ?? ((message, schema) => server.request(message, schema));
    return handler(params.arguments ?? {}, {
      tell: (name, values) => notify({ method: `notifications/${name}`, params: values }),
      ask: (method, values, schema) => request({ method, params: values }, schema),
      progressToken: params._meta?.progressToken,
      signal: extra?.signal,
    });
  });
  on('ListResources', () => ({ resources: RESOURCES }));
  on('ListResourceTemplates', () => ({
    resourceTemplates: [{ uriTemplate: 'memo://item/{id}', name: 'item', mimeType: 'application/json' }],
  }));
  on('ReadResource', ({ params: { uri } }) => ({ contents: [{ uri, ...read(types, uri) }] }));
  on('Subscribe', () => ({}));
  on('Unsubscribe', () => ({}));
  on('SetLevel', () => ({}));
  on('ListPrompts', () => ({
    prompts: [{ name: 'greet', arguments: [{ name: 'name', required: true }, { name: 'style', required: false }] }],
  }));
  on('GetPrompt', ({ params: { arguments: args } }) => {
    const request = `Please greet ${args.name} in a ${args.style ?? 'friendly'} style`;
    return { messages: [{ role: 'user', content: { type: 'text', text: request } }] };
  });
  on('Complete', ({ params: { ref, argument } }) => {
    const offered = COMPLETIONS[ref.name ?? ref.uri] ?? [];
    return { completion: { values: offered.filter((value) => value.startsWith(argument.value)) } };
  });
  return server;
}
