// The checks that the TypeScript clients run against a fixture server.
//
// report.mjs runs them and prints their outcomes. A peer is one SDK made
// uniform; peer1.mjs and client2.mjs build them:
//   start()                 connects and returns the SDK's client object
//   call(params, options)   calls a tool
//   isModern()              tells the negotiated era
//   subscribe(uri)          subscribes and returns a function that ends it
//   watchTools()            asks for changes of the tools; returns a function that ends it
//   close()                 ends the session, if there is one, and the connection
//   lacks                   names of checks that this release cannot do
//   hasProgressMessages     whether its revision knows them
//   action                  how the elicitation handler answers next
//   progress, logs, updates, toolChanges  what the server has sent unasked

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const LOG_LEVEL_META_KEY = 'io.modelcontextprotocol/logLevel';
const ITEM_TEMPLATE = 'memo://item/{id}';
const TOOLS = ['echo', 'add', 'progress', 'log', 'slow', 'fail', 'ask_name', 'summarize', 'show_roots', 'touch'];
/** The server's name before the gateway's names for what it has; nothing without a gateway. */
const behind = process.env.INTEROP_SERVER;
const named = (name) => (behind ? `${behind}__${name}` : name);

/** Thrown by a check that the SDK or the protocol era cannot run. */
export class NotSupported extends Error {}

/** Waits for a condition; the check's own time limit ends the wait. */
async function until(condition) {
  while (!condition()) {
    await sleep(10);
  }
}

const text = (result) => result.content[0].text;

async function allPages(field, list) {
  const items = [];
  let cursor;
  do {
    const page = await list(cursor === undefined ? {} : { cursor });
    items.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

/** The checks by name, in the order to run them. */
export function checks(peer, client) {
  const call = (name, args = {}, options = {}) => peer.call({ name: named(name), arguments: args }, options);
  const expectText = async (name, args, expected) => {
    const result = await call(name, args);
    assert.equal(text(result), expected);
    assert.ok(!result.isError);
  };
  const echo = () => expectText('echo', { message: 'hi' }, 'Echo: hi');
  const read = async (uri) => {
    const { contents } = await client.readResource({ uri });
    assert.equal(contents.length, 1);
    return contents[0];
  };
  const greet = async (args) => {
    const { messages } = await client.getPrompt({ name: named('greet'), arguments: args });
    assert.deepEqual(messages.map((m) => m.role), ['user']);
    return messages[0].content.text;
  };
  const complete = async (ref, argument) => (await client.complete({ ref, argument })).completion.values;

  return {
    async list_tools() {
      const list = () => allPages('tools', (params) => client.listTools(params));
      let tools = await list();
      // A gateway does not wait long for a server that is slow to start.
      while (behind && tools.length === 0) {
        await sleep(50);
        tools = await list();
      }
      const names = tools.map((tool) => tool.name);
      assert.deepEqual(TOOLS.filter((name) => !names.includes(named(name))), []);
    },
    call: echo,
    async structured() {
      const tools = await allPages('tools', (params) => client.listTools(params));
      assert.ok(tools.find((tool) => tool.name === named('add')).outputSchema);
      const result = await call('add', { a: 2, b: 3 });
      assert.deepEqual(result.structuredContent, { sum: 5 });
      assert.ok(text(result));
    },
    async call_error() {
      const result = await call('fail');
      assert.equal(result.isError, true);
      assert.equal(text(result), 'it failed');
    },
    async unknown_tool() {
      const failed = await call('no_such_tool').then((result) => result.isError, () => true);
      assert.ok(failed);
    },
    async progress() {
      // Not `onprogress`: it drops notifications that arrive in one read with the response.
      const params = { name: named('progress'), arguments: { steps: 3 }, _meta: { progressToken: 'token' } };
      assert.equal(text(await peer.call(params)), 'done');
      await until(() => peer.progress.length >= 3);
      const seen = peer.progress.map((p) => [p.progressToken, p.progress, p.total, p.message]);
      const message = (step) => (peer.hasProgressMessages ? `step ${step}` : undefined);
      assert.deepEqual(seen, [1, 2, 3].map((step) => ['token', step, 3, message(step)]));
    },
    async log() {
      const params = { name: named('log'), arguments: { level: 'warning', message: 'careful' } };
      if (peer.isModern()) {
        params._meta = { [LOG_LEVEL_META_KEY]: 'debug' };
      } else {
        await client.setLoggingLevel('debug');
      }
      assert.equal(text(await peer.call(params)), 'logged');
      await until(() => peer.logs.length > 0);
      const { level, logger, data } = peer.logs[0];
      const expected = behind ? `${behind}.fixture` : 'fixture';
      assert.deepEqual({ level, logger, data }, { level: 'warning', logger: expected, data: 'careful' });
    },
    async cancel() {
      const abort = new AbortController();
      const slow = call('slow', { ms: 60_000 }, { signal: abort.signal });
      setTimeout(() => abort.abort('no longer needed'), 200);
      await assert.rejects(slow);
      await echo();
    },
    async elicit() {
      peer.action = 'accept';
      await expectText('ask_name', {}, 'Hello, Ada');
    },
    async elicit_decline() {
      peer.action = 'decline';
      await expectText('ask_name', {}, 'declined');
    },
    sample: () => expectText('summarize', { text: 'a long text' }, 'Summary: short'),
    roots: () => expectText('show_roots', {}, 'file:///project'),
    async list_resources() {
      const resources = await allPages('resources', (params) => client.listResources(params));
      const found = new Map(resources.map(({ uri, name, mimeType }) => [uri, [name, mimeType]]));
      assert.deepEqual(found.get('memo://hello'), ['hello', 'text/plain']);
      assert.deepEqual(found.get('memo://logo'), ['logo', 'image/png']);
    },
    async read_text() {
      const { uri, mimeType, text } = await read('memo://hello');
      assert.deepEqual([uri, mimeType, text], ['memo://hello', 'text/plain', 'Hello from memo']);
    },
    async read_blob() {
      const { mimeType, blob } = await read('memo://logo');
      assert.deepEqual([mimeType, Buffer.from(blob, 'base64').toString('hex')], ['image/png', '89504e47']);
    },
    async list_templates() {
      const templates = await allPages('resourceTemplates', (params) => client.listResourceTemplates(params));
      const { name, mimeType } = templates.find((template) => template.uriTemplate === ITEM_TEMPLATE);
      assert.deepEqual([name, mimeType], ['item', 'application/json']);
    },
    async read_template() {
      assert.deepEqual(JSON.parse((await read('memo://item/2')).text), { id: '2' });
    },
    read_missing: () => assert.rejects(client.readResource({ uri: 'memo://nowhere' })),
    async subscribe() {
      const end = await peer.subscribe('memo://hello');
      await call('touch');
      await until(() => peer.updates.length > 0);
      assert.equal(peer.updates[0], 'memo://hello');
      await end();
    },
    async list_changed() {
      const end = await peer.watchTools();
      const before = peer.toolChanges;
      await call('add_tool');
      await until(() => peer.toolChanges > before);
      await end();
      const tools = await allPages('tools', (params) => client.listTools(params));
      assert.ok(tools.some((tool) => tool.name === named('extra')));
    },
    async list_prompts() {
      const prompts = await allPages('prompts', (params) => client.listPrompts(params));
      const { arguments: args } = prompts.find((prompt) => prompt.name === named('greet'));
      assert.deepEqual(args.map(({ name, required }) => [name, required ?? false]), [['name', true], ['style', false]]);
    },
    async get_prompt() {
      assert.equal(await greet({ name: 'Ada' }), 'Please greet Ada in a friendly style');
      assert.equal(await greet({ name: 'Ada', style: 'formal' }), 'Please greet Ada in a formal style');
    },
    async complete_prompt() {
      const values = await complete({ type: 'ref/prompt', name: named('greet') }, { name: 'style', value: 'fr' });
      assert.deepEqual(values, ['friendly']);
    },
    async complete_template() {
      const values = await complete({ type: 'ref/resource', uri: ITEM_TEMPLATE }, { name: 'id', value: '' });
      assert.deepEqual(values, ['1', '2', '3']);
    },
    async ping() {
      if (peer.isModern()) {
        throw new NotSupported('the modern era has no ping');
      }
      await client.ping();
    },
    close: () => peer.close(),
  };
}
