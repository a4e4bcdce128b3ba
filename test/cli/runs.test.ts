import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { checkMcpServers } from '../../sidecar/cli/finding.ts';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startCollector, type Collector } from '../support/collector.ts';
import { call, say } from '../support/scripted-model.ts';
import { commandLine, jsonLines, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli?.close());

/** `run` where its worker cannot write its storage: it ends with the reason and exit code 6, and never waits for ever. */
describe('storage that cannot be written ends run with 6 and the path', () => {
  /** Rounds that put much into the journal. */
  const wordy: ScenarioInput = {
    turns: [
      { ...call('shell', { command: 'true', note: 'x'.repeat(90_000) }), repeat: 4 },
      { ...say('fine'), repeat: 'always' },
    ],
  };
  const LIMIT_MS = 60_000;

  /** A command where files may have so many blocks: to the program, a disk that is full. */
  async function withBlocks(blocks: number | 'unlimited', args: string[]) {
    const command = [process.execPath, resolve('dist/cli.js'), ...args];
    const limited = ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...command];
    const { exitCode, stderr } = await execa('sh', limited, {
      env: {
        ...cli.env,
        SIDECAR_WORKER_MIN_FREE_DISK_BYTES: '0',
        SIDECAR_OBSERVABILITY_LOG_LEVEL: 'info',
      },
      extendEnv: false,
      reject: false,
      cwd: cli.dir,
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    return { exitCode, stderr, endedMs: Date.now() };
  }

  /** When the worker stopped, by its log. */
  function stoppedMs(stderr: string): number {
    const line = stderr.split('\n').find((text) => text.includes('"Worker stopped"')) ?? '{}';
    return Date.parse((JSON.parse(line) as { time?: string }).time ?? '');
  }

  const namesState = () => ({ exitCode: 6, stderr: expect.stringContaining(cli.stateDir) });

  test('where a file stands in the place of the state folder', async () => {
    cli = await commandLine(wordy);
    await writeFile(cli.stateDir, '');
    expect(await withBlocks('unlimited', ['run', 'x', '--no-repo'])).toMatchObject(namesState());
  });

  test.each([0, 40])('at the start, where files may have %i blocks', async (blocks) => {
    cli = await commandLine(wordy);
    expect(await withBlocks(blocks, ['run', 'x', '--no-repo'])).toMatchObject(namesState());
  });

  test('where its database is damaged', async () => {
    cli = await commandLine(wordy);
    await mkdir(join(cli.stateDir, 'runs/1'), { recursive: true });
    await writeFile(join(cli.stateDir, 'runs/1/state.sqlite'), 'this is no database '.repeat(1000));
    expect(await withBlocks('unlimited', ['run', 'x', '--no-repo'])).toMatchObject(namesState());
  });

  test('while the task runs, as soon as its worker has stopped', async () => {
    cli = await commandLine(wordy);
    const ended = await withBlocks(230, ['run', 'x', '--no-repo', '--agentic']);
    expect(ended).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('state.sqlite') });
    expect(ended.stderr).toContain('cannot write its storage');
    expect(ended.endedMs - stoppedMs(ended.stderr)).toBeLessThan(20_000);
  });

  test('while a demo runs', async () => {
    cli = await commandLine(wordy);
    const ended = await withBlocks(230, ['demo', '--model', 'm']);
    expect(ended).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('cannot write its storage'),
    });
  });
});

/** What one task of a chain of follow-ups weakened is no base for the next one. */
describe('follow up chain', () => {
  interface Result {
    verification_status: string;
    verification_notes?: string[];
    follow_up?: { metadata: Record<string, unknown> };
    changes: { base_commit: string; files: { path: string }[] };
  }
  const resultOf = (stdout: string) => (jsonLines(stdout).at(-1) as { result: Result }).result;

  test('a test that was weakened in the first try counts as changed in the second', async () => {
    const last = ['1', '2', '3'].map(say);
    cli = await commandLine({
      scripts: [
        {
          name: 'second',
          when: { firstUser: 'left unfinished' },
          turns: [call('shell', { command: 'touch b.txt' }), ...last],
        },
        { name: 'first', turns: [call('shell', { command: 'echo "exit 0" > check.sh' }), ...last] },
      ],
    });
    const repo = await cli.repository();
    await writeFile(join(repo, 'check.sh'), 'grep -qx good a.txt\n');
    const git = (...args: string[]) => execa('git', args, { cwd: repo });
    await git('add', '--all');
    await git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-q', '-m', 'Check');
    const base = (await git('rev-parse', 'HEAD')).stdout;

    const checks = ['--verify', 'sh check.sh', '--verify', 'test -e b.txt'];
    const first = resultOf((await cli.run(['run', 'repair a.txt', '--repo', repo, ...checks])).stdout);
    expect(first.follow_up?.metadata).toMatchObject({ follow_up_base: base });

    const file = join(cli.dir, 'follow-up.json');
    await writeFile(file, JSON.stringify(first.follow_up));
    const second = resultOf((await cli.run(['run', '--file', file])).stdout);
    expect(second).toMatchObject({ verification_status: 'partial_pass', changes: { base_commit: base } });
    expect(second.changes.files.map(({ path }) => path)).toEqual(['b.txt', 'check.sh']);
    expect(second.verification_notes?.join(' ')).toContain('--may-change-checks check.sh');
  });
});

/** What a task wrote and no commit can hold is told to the person who reads the result. */
describe('left out', () => {
  test.each([
    ['beside other work', 'echo x > lib/new.txt; echo y > top.txt'],
    ['alone', 'echo x > lib/new.txt'],
  ])('files in a submodule, %s', async (_name, command) => {
    cli = await commandLine({ turns: [call('shell', { command }), { ...say('Done.'), repeat: 'always' }] });
    const repo = await cli.repository();
    const inner = join(cli.dir, 'inner');
    mkdirSync(inner);
    const git = (cwd: string, ...args: string[]) =>
      execFileSync(
        'git',
        ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always', ...args],
        {
          cwd,
          stdio: 'pipe',
        },
      );
    git(inner, 'init', '-q');
    git(inner, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(repo, 'submodule', '--quiet', 'add', inner, 'lib');
    git(repo, 'commit', '-qm', 'with a submodule');
    const { stdout } = await cli.start(['run', 'write', '--repo', repo, '--agentic', '--no-json']).ended;
    expect(stdout.replaceAll(/\s+/gu, ' ')).toContain(
      'The changes are incomplete: left out: lib/new.txt (in a submodule: submit a task for its own repository)',
    );
  });
});

/** Names that a hub chose are shown without what would steer a terminal. */
describe('hostile names', () => {
  const ESCAPE = '\u001B';
  const NAME = `t${ESCAPE}]0;owned${ESCAPE}\\1; rm x`;

  let cli: CommandLine;
  beforeAll(async () => {
    cli = await commandLine();
  });
  afterAll(() => cli.close());

  /** A hub with one task, whose every name is hostile. */
  async function hostileHub(): Promise<string> {
    const task = { task_id: NAME, title: NAME, status: `queued${NAME}`, worker_id: NAME, created_at: 1 };
    const server = createServer((request, response) => {
      const body = request.method === 'GET' ? { tasks: [task] } : task;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cli.cleanup.add(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each([[['tasks']], [['cancel', 't']], [['submit', 'do it']]])('%s', async (args) => {
    const { stdout, stderr } = await cli.run([...args, '--no-json'], {
      SIDECAR_HUB_API: await hostileHub(),
      SIDECAR_HUB_API_TOKEN: 'x',
    });
    expect(stdout).toContain('t‹U+001B›]0;owned‹U+001B›\\1; rm x');
    expect(stdout + stderr).not.toContain(ESCAPE);
    expect(stdout).not.toMatch(/watch t1; rm/u);
  });
});

const program = fileURLToPath(new URL('../tools/mcp/server-program.mjs', import.meta.url));
const findings = (mcp: object) =>
  checkMcpServers(configSchema.parse({ sandbox: { mode: 'off' }, tools: { mcp } }));

test('doctor says which servers answer, what a model gets of them, and what is wrong', async () => {
  const found = await findings({
    good: { command: 'node', args: [program], only: ['echo'] },
    half: { command: 'node', args: [program], only: ['echo', 'nothing'] },
    dead: { command: 'node', args: [program, 'dies'] },
  });
  expect(found).toEqual([
    { what: 'mcp good', status: 'ok', found: '15 tools, offered to models: good_echo' },
    {
      what: 'mcp half',
      status: 'warning',
      found: '15 tools, offered to models: half_echo',
      advice: expect.stringContaining('has no tool nothing'),
    },
    {
      what: 'mcp dead',
      status: 'problem',
      found: 'does not answer',
      advice: 'The MCP server dead ended with exit code 2: no key is set',
    },
  ]);
  expect(await findings({})).toEqual([]);
});

describe('traces', () => {
  let collector: Collector;
  beforeEach(async () => {
    cli = await commandLine(repair);
    collector = await startCollector();
  });
  afterEach(() => collector.close());

  const PASSWORD = 'c29tZWJvZHk6cGFzc3dvcmQ=';

  test('run sends its trace where OTEL_EXPORTER_OTLP_ENDPOINT says, with the headers, which nobody sees', async () => {
    const repo = await cli.repository();
    const args = ['run', 'repair it', '--repo', repo, '--verify', 'grep -q good a.txt'];
    const { code, stdout, stderr } = await cli.run(args, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Basic%20${encodeURIComponent(PASSWORD)}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      SIDECAR_LOG_LEVEL: 'debug',
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('Sending traces');
    const [request] = collector.requests;
    expect(request?.headers).toMatchObject({
      authorization: `Basic ${PASSWORD}`,
      'content-type': 'application/json',
    });
    expect(stdout + stderr).not.toContain(PASSWORD);
    expect(collector.spans.map(({ name }) => name)).toEqual([
      'chat m',
      'execute_tool read_file',
      'chat m',
      'execute_tool edit_file',
      'chat m',
      'invoke_agent ollama-sidecar',
    ]);
    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'ollama-sidecar',
      'deployment.environment.name': 'test',
    });
  });

  test('a collector that nobody reaches costs run neither its result nor more than seconds', async () => {
    const url = collector.url;
    await collector.close();
    const repo = await cli.repository();
    const args = ['run', 'repair it', '--repo', repo, '--verify', 'grep -q good a.txt'];
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, SIDECAR_LOG_LEVEL: 'warn' };
    const { code, stderr } = await cli.run(args, env);
    expect(code).toBe(0);
    // Not a line for each span: there are six. A slow run may end long enough after the first line for another.
    const told = stderr.match(/the collector did not accept spans/gu)?.length ?? 0;
    expect([1, 2]).toContain(told);
  });

  test('without an endpoint nothing of it is loaded or sent', async () => {
    const dist = join(cli.dir, 'dist');
    await cp(resolve('dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
    await symlink(resolve('node_modules'), join(cli.dir, 'node_modules'));
    const chunks = await readdir(join(dist, 'chunks'));
    const own = chunks.filter((name) => name.startsWith('trace'));
    expect(own.length).toBeGreaterThan(0);
    for (const name of own) await rm(join(dist, 'chunks', name));
    const args = [join(dist, 'cli.js'), 'run', 'repair it', '--repo', await cli.repository()];
    const env = { ...cli.env, OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const options = { env, extendEnv: false, reject: false, timeout: 25_000 };
    const { exitCode, stderr } = await execa(process.execPath, args, options);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(collector.requests).toEqual([]);
  });
});
