import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { LocalExecutionEnvironmentOptions } from '../../../sidecar/workspace/local-environment.ts';
import { declareTools, type CallServer } from '../../../sidecar/tools/mcp/declare-tools.ts';
import { outputOf } from '../../../sidecar/tools/mcp/connection.ts';
import { createToolName } from '../../../sidecar/tools/mcp/tool-names.ts';
import * as fc from '../../support/properties.ts';
import { describeWith } from '../../support/requirements.ts';
import { server, withServers } from './server-fixture.ts';

describe('the name of a tool', () => {
  test.each([
    ['fs', 'readTextFile', 'fs_read_text_file'],
    ['git', 'git_status', 'git_status'],
    ['My-Server', 'create entities!', 'my_server_create_entities'],
    ['web', '検索', 'web_tool'],
    ['memory', 'x'.repeat(100), `memory_${'x'.repeat(33)}`],
  ])('of %s %s is %s', (from, tool, name) => {
    expect(createToolName(from, tool, new Set())).toBe(name);
  });

  test('is nobody else’s, in any spelling', () => {
    const taken = new Set(['fsread', 'readfile']);
    expect(createToolName('fs', 'read', taken)).toBe('fs_read_2');
    expect(createToolName('fs', 'read', taken)).toBe('fs_read_3');
    expect(createToolName('read', 'file', taken)).toBe('read_file_2');
    expect(createToolName('list', 'dir', taken)).toBe('list_dir_2');
  });

  test('is short and safe, whatever it comes from', () => {
    const taken = new Set<string>();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (from, tool) => {
        const before = taken.size;
        expect(createToolName(from, tool, taken)).toMatch(/^[a-z0-9][a-z0-9_]{0,39}$/);
        expect(taken.size).toBe(before + 1);
      }),
    );
  });
});

const tool = (name: string, inputSchema: object, description = 'It does things.') => ({
  name,
  description,
  inputSchema: inputSchema as Record<string, unknown>,
});
const declare = (tools: ReturnType<typeof tool>[], maxBytes = 4_000, call: CallServer = never) =>
  declareTools([{ server: server({ name: 's' }), tools }], { takenNames: [], maxBytes, call });
const never: CallServer = () => Promise.reject(new Error('not called'));

describe('the schema of a tool', () => {
  test('is what the server says, without what a model has no use for', () => {
    const properties = {
      path: { type: 'string', description: 'Which file' },
      limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      edits: { type: 'array', items: { type: 'object', properties: { old: { type: ['string', 'null'] } } } },
    };
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const inputSchema = {
      $schema,
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      properties,
    };
    expect(declare([tool('do', inputSchema, 'It\ndoes things.')]).tools).toMatchObject([
      {
        name: 's_do',
        description: 'It does things.',
        parameters: { type: 'object', required: ['path'], properties },
      },
    ]);
  });

  test.each([
    ['too large', { a: { type: 'string', description: 'word '.repeat(300) } }],
    ['with references', { a: { $ref: '#' } }],
  ])('that is %s is fetched by the first call, and added to a failure', async (_what, properties) => {
    const inputSchema = { type: 'object', properties, required: ['a'] };
    const sent: unknown[] = [];
    const call: CallServer = (_server, name, args) => {
      sent.push([name, args]);
      return Promise.resolve({ text: 'not so', isError: true });
    };
    const [offered] = declare([tool('do', inputSchema)], 4_000, call).tools;
    expect(offered).toMatchObject({
      description: 'It does things. Call it without arguments to get its parameters.',
      parameters: { type: 'object', properties: {} },
    });
    const execute = offered!.execute as (args: object, context: object) => Promise<unknown>;
    const parameters = `Parameters of s_do: ${JSON.stringify(inputSchema)}`;
    expect(await execute({}, {})).toBe(parameters);
    expect(sent).toEqual([]);
    expect(await execute({ a: 1 }, {})).toEqual({ text: `not so\n\n${parameters}`, isError: true });
    expect(sent).toEqual([['do', { a: 1 }]]);
  });

  test('that is odd is borne', () => {
    const known = (inputSchema: object) => declare([tool('do', inputSchema)]).tools[0]?.parameters;
    expect(known({ required: ['missing'] })).toMatchObject({ properties: { missing: {} } });
    expect(known({ properties: 'x', required: 7 })).toMatchObject({ properties: {} });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const [offered] = declare([tool('do', { properties: value, $defs: value, required: [value] })]).tools;
        expect(Buffer.byteLength(JSON.stringify(offered?.parameters))).toBeLessThanOrEqual(900);
      }),
    );
  });
});

test('the tools of all servers share one budget: names first, then schemas, and what has no room is named', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      tool(`tool${String(index).padStart(2, '0')}`, { properties: { a: { type: 'string' } } }),
    );
  const listings = (count: number) => [
    { server: server({ name: 'first' }), tools: named(count).toReversed() },
    { server: server({ name: 'second' }), tools: named(count) },
  ];
  const options = { takenNames: [], maxBytes: 1_000, call: never };
  const { tools: few } = declareTools(listings(3), options);
  expect(few.map(({ name }) => name)).toEqual(
    ['first', 'second'].flatMap((from) => named(3).map(({ name }) => `${from}_${name}`)),
  );
  const { tools: many, notes } = declareTools(listings(40), options);
  expect(many.length).toBeGreaterThan(5);
  expect(notes).toEqual([
    expect.stringContaining('These tools of the MCP server first do not fit into the prompt: tool0'),
    expect.stringContaining('tools.mcp.second.only'),
  ]);
});

test('a result is its texts; what is no text is named and left out', () => {
  expect(
    outputOf({
      content: [
        { type: 'text', text: 'one' },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAAAAAA' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'two' } },
        { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'file:///c', name: 'c' },
      ],
    }),
  ).toEqual({
    text: 'one\n[audio omitted: audio/wav, 6 bytes]\n[file:///a]\ntwo\n[file file:///b omitted: 3 bytes]\n[resource c: file:///c]',
    isError: false,
  });
  expect(outputOf({ content: [], structuredContent: { a: 1 } })).toMatchObject({ text: '{"a":1}' });
  expect(outputOf({ content: [], isError: true })).toEqual({
    text: '(the tool returned no text)',
    isError: true,
  });
});

/** MCP servers over HTTP: an honest one, and ones that are slow, too talkative, broken or elsewhere. */
describe('http', () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void;

  interface Call {
    id?: number;
    method: string;
    params: { protocolVersion: string; arguments: Record<string, unknown> };
  }

  const closers: (() => void)[] = [];
  let takesNotifications = true;
  afterEach(() => {
    takesNotifications = true;
    for (const close of closers.splice(0)) close();
  });

  /** A server whose tool `do` answers as told. */
  async function listen(toCall: Answer): Promise<string> {
    const http = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => answer(request, response, body, toCall));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      http.closeAllConnections();
      http.close();
    });
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: string, toCall: Answer): void {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as Call;
    if (id === undefined) return takesNotifications ? void response.writeHead(202).end() : undefined;
    const send = (result: object) => sendResult(response, id, result);
    if (method === 'initialize')
      send({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 't', version: '1' },
      });
    else if (method === 'tools/list') send({ tools: [{ name: 'do', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') toCall(Object.assign(request, { id }), response);
  }

  function sendResult(response: ServerResponse, id: number, result: object): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
  const idOf = (request: IncomingMessage): number => (request as IncomingMessage & { id: number }).id;
  const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
  const over = (url: string, more: Partial<Parameters<typeof server>[0]> = {}) =>
    server({ name: 'web', command: undefined, url, ...more });

  describe('a server over HTTP', () => {
    test('is asked with the headers that the operator gives', async () => {
      const url = await listen((request, response) =>
        sendResult(response, idOf(request), text(String(request.headers.authorization))),
      );
      await withServers(
        [over(url, { headers: { Authorization: 'Bearer abc' } })],
        async ({ call, names }) => {
          expect(names).toEqual(['web_do']);
          expect(await call('web_do')).toMatchObject({ isError: false, output: 'Bearer abc' });
        },
      );
    });

    test.each<[string, Answer, string, number?]>([
      ['never answers', () => undefined, 'did not answer do within 2000 ms', 2_000],
      ['breaks off', (request) => request.socket.destroy(), 'The MCP server web failed: '],
      ['fails', (_request, response) => void response.writeHead(500).end('out of order'), 'out of order'],
      [
        'sends the task elsewhere',
        (_request, response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
        'The MCP server web failed: ',
      ],
      [
        'answers with too much',
        (request, response) => sendResult(response, idOf(request), text('x'.repeat(10 * 1024 * 1024))),
        'sent more than 8 MiB in one answer',
      ],
      [
        'answers with another shape',
        (request, response) => sendResult(response, idOf(request), { content: [{ type: 'text' }] }),
        'sent an invalid answer: content.0',
      ],
    ])('that %s gives an error that says so', async (_what, toCall, words, timeoutMs = 20_000) => {
      const url = await listen(toCall);
      await withServers([over(url, { timeoutMs })], async ({ call }) => {
        const { output, isError } = await call('web_do');
        expect(output).toContain(words);
        expect(isError).toBe(true);
      });
    });

    test('that does not take the notification after the handshake does not hold up the task', async () => {
      takesNotifications = false;
      const url = await listen(() => undefined);
      await withServers([over(url, { timeoutMs: 300 })], ({ notes }) => {
        const text = 'The MCP server web did not complete the handshake within 300 ms';
        expect(notes).toEqual([expect.stringContaining(text)]);
        return Promise.resolve();
      });
    });

    test('that is not there is told of', async () => {
      await withServers([over('http://127.0.0.1:9/mcp')], ({ notes }) => {
        expect(notes).toEqual([expect.stringContaining('The MCP server web failed: ')]);
        return Promise.resolve();
      });
    });
  });
});

/** Servers that others wrote, as npm has them. */
const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const program = (name: string) => `${packages}/@modelcontextprotocol/${name}/dist/index.js`;
const files = server({
  name: 'fs',
  args: [program('server-filesystem'), '.'],
  only: ['read_text_file', 'edit_file', 'directory_tree'],
});
const memory = server({
  name: 'memory',
  args: [program('server-memory')],
  env: { MEMORY_FILE_PATH: '/tmp/memory.jsonl' },
  only: ['create_entities', 'read_graph'],
});

function fileServer(environment: Partial<LocalExecutionEnvironmentOptions>): void {
  test('reads and changes what is in the workspace, and nothing else', async () => {
    const look = async ({ call, env, notes, names }: Parameters<Parameters<typeof withServers>[1]>[0]) => {
      expect(notes).toEqual([]);
      expect(names).toEqual(['fs_read_text_file', 'fs_edit_file', 'fs_directory_tree']);
      await env.writeFile('a.txt', 'hello\n');
      expect(await call('fs_read_text_file', { path: 'a.txt' })).toMatchObject({
        isError: false,
        output: 'hello\n',
      });
      await call('fs_edit_file', { path: 'a.txt', edits: [{ oldText: 'hello', newText: 'bye' }] });
      expect((await env.readFile('a.txt')).text).toBe('bye\n');
      expect(await call('fs_read_text_file', { path: '/etc/hostname' })).toMatchObject({
        isError: true,
        output: expect.stringContaining('Access denied'),
      });
    };
    await withServers([files], look, { environment });
  });
}

describe('the file server of npm', () => fileServer({}));
describeWith('bubblewrap', 'servers of npm in the sandbox', () => {
  const environment = { sandbox: 'required' as const, readOnlyPaths: [packages] };
  fileServer(environment);

  test('keep what they are told, in the folder for temporary files', async () => {
    await withServers(
      [memory],
      async ({ call }) => {
        const entities = [{ name: 'build', entityType: 'fact', observations: ['it takes a minute'] }];
        expect(await call('memory_create_entities', { entities })).toMatchObject({ isError: false });
        expect((await call('memory_read_graph')).output).toContain('it takes a minute');
      },
      { environment },
    );
  });
});
