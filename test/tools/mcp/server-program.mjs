/*
 * An MCP server without the SDK, so that it can do what no honest server does. The first argument says how it begins
 * (`well`, `hangs`, `dies`, `noisy`, `bad-list`, `odd-list`, `endless-list`, `stubborn`), the tools are named after what they do.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = 'well'] = process.argv.slice(2);
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const takes = (properties, required = []) => ({ type: 'object', properties, required });
// Whoever runs the test learns from this file which processes there were.
appendFileSync('pids', `${process.pid}\n`);

const tools = {
  echo: [
    takes({ said: { type: 'string', description: 'What comes back' } }, ['said']),
    ({ said }) => text(`You said ${said}`),
  ],
  large: [
    takes({ said: { type: 'string', description: 'What comes back. '.repeat(80) } }, ['said']),
    ({ said }) => text(`You said ${said}`),
  ],
  where: [
    takes({}),
    () => text(`${process.cwd()} ${process.env.ANSWER ?? ''} ${process.env.WITHHELD ?? ''}`),
  ],
  publish: [
    takes({ said: { type: 'string' } }, ['said']),
    ({ said }) => (appendFileSync(process.env.EFFECTS, `${said}\n`), text(`Published ${said}`)),
  ],
  fail: [takes({}), () => ({ ...text('There is no such thing.'), isError: true })],
  refuse: [takes({}), () => undefined],
  slow: [takes({}), () => null],
  crash: [
    takes({}),
    () => {
      process.stderr.write('the disk is gone\n', () => process.exit(3));
      return null;
    },
  ],
  wrong_shape: [takes({}), () => ({ content: 'a text' })],
  other_id: [takes({}), (_args, id) => (send({ id: id + 1000, result: text('for somebody else') }), null)],
  huge: [takes({}), () => text('x'.repeat(10 * 1024 * 1024))],
  flood: [
    takes({}),
    () => {
      const more = () => {
        while (
          process.stdout.write(
            `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(1000) } })}\n`,
          )
        );
        process.stdout.once('drain', more);
      };
      more();
      return null;
    },
  ],
  picture: [
    takes({}),
    () => ({
      content: [
        { type: 'text', text: 'Here:' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      ],
    }),
  ],
  long: [takes({}), () => text(Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n'))],
  change_list: [
    takes({}),
    () => (
      (tools.later = [takes({}), () => text('later')]),
      send({ method: 'notifications/tools/list_changed' }),
      text('changed')
    ),
  ],
};

function list() {
  if (mode === 'bad-list') return { tools: 'none' };
  if (mode === 'odd-list') {
    const echo = { name: 'echo', description: null, inputSchema: takes({ said: true }), outputSchema: true };
    return {
      tools: [{ name: 'any', inputSchema: true }, { name: 'bare' }, 'odd', { ...echo, annotations: 1 }],
    };
  }
  if (mode === 'endless-list')
    return { tools: [{ name: 'echo', inputSchema: takes({}) }], nextCursor: 'more' };
  return {
    tools: Object.entries(tools).map(([name, [inputSchema]]) => ({
      name,
      description: `It does ${name}.`,
      inputSchema,
    })),
  };
}

function answer({ method, params, id }) {
  if (method === 'initialize') {
    if (mode === 'hangs') return;
    const { protocolVersion } = params;
    send({
      id,
      result: {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'test', version: '1' },
      },
    });
  } else if (method === 'tools/list') send({ id, result: list() });
  else if (method === 'ping' && mode !== 'stubborn') send({ id, result: {} });
  else if (method === 'tools/call') {
    const result = tools[params.name]?.[1](params.arguments ?? {}, id);
    if (result) send({ id, result });
    else if (result === undefined) send({ id, error: { code: -32602, message: 'no such tool' } });
  }
}

if (mode === 'dies') {
  process.stderr.write('no key is set\n');
  process.exitCode = 2;
} else {
  if (mode === 'noisy') process.stdout.write('Server is up!\n\n{"not": "a message"}\n');
  if (mode === 'stubborn') process.on('SIGTERM', () => undefined);
  createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
  if (mode === 'stubborn') setInterval(() => undefined, 1000);
}
