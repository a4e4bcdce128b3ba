import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig, formatSetting } from '../../../sidecar/base/config/load.ts';
import { configSchema } from '../../../sidecar/base/config/schema.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('load', () => {
  const folder = tempFolders();
  let dir: string;
  beforeEach(() => {
    dir = folder();
  });

  async function file(name: string, content: unknown): Promise<string> {
    const path = join(dir, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }
  const load = (options: Parameters<typeof loadConfig>[0] = {}) =>
    loadConfig({ env: {}, userDir: dir, ...options });
  async function problems(options: Parameters<typeof loadConfig>[0]): Promise<string[]> {
    const outcome = await load(options);
    return outcome.ok ? [] : outcome.problems;
  }

  describe('loading the configuration', () => {
    test('each layer wins over the one before it, and says so', async () => {
      await file('a.json', { worker: { concurrency: 2, queueSize: 5 }, ollama: { url: 'http://a:1' } });
      const named = await file('named.conf', { worker: { concurrency: 3 } });
      const outcome = await load({
        file: named,
        env: { SIDECAR_WORKER_CONCURRENCY: '4', OLLAMA_HOST: 'gpu:11434' },
        flags: { 'worker.concurrency': { flag: '--concurrency', value: 5 } },
      });
      if (!outcome.ok) throw new Error(outcome.problems.join());
      expect(outcome.value.config.worker).toMatchObject({ concurrency: 5, queueSize: 5 });
      expect(outcome.value.config.ollama.url).toBe('gpu:11434');
      expect(outcome.value.sources.get('worker.concurrency')).toBe('flag --concurrency');
      expect(outcome.value.sources.get('ollama.url')).toBe('environment OLLAMA_HOST');
    });

    test('what OpenTelemetry’s own variable says goes below every other layer', async () => {
      const endpointOf = async (options: Parameters<typeof loadConfig>[0]) => {
        const outcome = await load(options);
        if (!outcome.ok) throw new Error(outcome.problems.join());
        const { config, sources } = outcome.value;
        return [config.observability.otlpEndpoint, sources.get('observability.otlpEndpoint')];
      };
      const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://standard:4318';
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT };
      expect(await endpointOf({ env })).toEqual([
        'http://standard:4318',
        'environment OTEL_EXPORTER_OTLP_ENDPOINT',
      ]);
      expect(await endpointOf({ env: { ...env, OTEL_SDK_DISABLED: 'true' } })).toEqual([
        undefined,
        undefined,
      ]);
      // For gRPC, by programs that speak it.
      expect(await endpointOf({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' } })).toEqual([
        undefined,
        undefined,
      ]);
      const own = await file('own.conf', { observability: { otlpEndpoint: 'https://own' } });
      expect(await endpointOf({ env, file: own })).toEqual(['https://own', `file ${own}`]);
    });

    test.each(['http://me:secret@host', 'http://:secret@host'])(
      'the address of a collector holds no password: %s',
      async (address) => {
        const env = { SIDECAR_OBSERVABILITY_OTLP_ENDPOINT: address };
        expect(await problems({ env })).toEqual([
          expect.stringMatching(/^observability\.otlpEndpoint: .*without user name and password$/u),
        ]);
      },
    );

    test('variables are read by the type that the schema wants', async () => {
      const outcome = await load({
        env: {
          SIDECAR_SANDBOX_NETWORK: 'true',
          SIDECAR_HUB_LABELS: 'gpu, big',
          SIDECAR_TOOLS_LINE_LIMITS: '{"shell": 1}',
          SIDECAR_WORKSPACE_SHARE: 'off',
        },
      });
      if (!outcome.ok) throw new Error(outcome.problems.join());
      const { sandbox, hub, tools, workspace } = outcome.value.config;
      expect(sandbox.network).toBe(true);
      expect(hub.labels).toEqual(['gpu', 'big']);
      expect(tools.lineLimits).toEqual({ shell: 1 });
      expect(workspace.share).toBe('off');
    });

    test('an unknown key is an error with the nearest known one', async () => {
      const named = await file('x.conf', { worker: { concurency: 2 } });
      expect(await problems({ file: named })).toEqual([
        `unknown key worker.concurency (file ${named}): did you mean worker.concurrency?`,
      ]);
      expect(await problems({ env: { SIDECAR_HUB_URLL: 'x' } })).toEqual([
        'unknown key SIDECAR_HUB_URLL (environment SIDECAR_HUB_URLL): did you mean SIDECAR_HUB_URL?',
      ]);
    });

    test('a wrong value names key, value, source and what to write', async () => {
      expect(await problems({ env: { SIDECAR_WORKER_CONCURRENCY: '0' } })).toEqual([
        'worker.concurrency: 0 (environment SIDECAR_WORKER_CONCURRENCY): write a value of at least 1',
      ]);
      expect(await problems({ env: { SIDECAR_SANDBOX_MODE: 'maybe' } })).toEqual([
        'sandbox.mode: "maybe" (environment SIDECAR_SANDBOX_MODE): write one of "auto", "required", "off"',
      ]);
    });

    test('says what belongs where a section or a choice is of another kind', async () => {
      const wrong = await file('wrong.conf', { worker: null, workspace: { share: 'some' } });
      expect(await problems({ file: wrong })).toEqual([
        `worker (file ${wrong}): write an object with the settings of this section`,
        `workspace.share: "some" (file ${wrong}): write "auto", "off" or a list of folders, e.g. ["node_modules"]`,
      ]);
    });

    test('a byte order mark before a file’s JSON is passed over', async () => {
      const marked = await file('marked.conf', '\uFEFF{"worker": {"concurrency": 3}}');
      expect(await load({ file: marked })).toMatchObject({
        ok: true,
        value: { config: { worker: { concurrency: 3 } } },
      });
    });

    test('an empty text is no address to listen on, and no database', async () => {
      const empty = await file('empty.conf', { embeddedHub: { host: '', database: '' } });
      expect(await problems({ file: empty })).toEqual([
        `embeddedHub.host: "" (file ${empty}): write a value`,
        `embeddedHub.database: "" (file ${empty}): write the path of a file, or an address that begins with postgres://`,
      ]);
    });

    test.each(['', ':::', 'htp://x y', 'htp://gpu', 'ftp://gpu', 'http://', 'gpu:70000', 'two words'])(
      'the address of Ollama is not %j',
      async (value) => {
        const shown = JSON.stringify(value);
        const says = 'write an address such as http://127.0.0.1:11434 or gpu-box:11434';
        const flags = { 'ollama.url': { flag: '--ollama-url', value } };
        expect(await problems({ flags })).toEqual([`ollama.url: ${shown} (flag --ollama-url): ${says}`]);
        const named = await file('x.conf', { ollama: { url: value } });
        expect(await problems({ file: named })).toEqual([`ollama.url: ${shown} (file ${named}): ${says}`]);
        // An empty variable is one that is not set.
        expect(await problems({ env: { OLLAMA_HOST: value } })).toEqual(
          value === '' ? [] : [`ollama.url: ${shown} (environment OLLAMA_HOST): ${says}`],
        );
      },
    );

    test.each([
      'gpu',
      'gpu:11434',
      ':11434',
      '0.0.0.0',
      '0.0.0.0:80',
      '[::1]:11434',
      '::1',
      'https://gpu/ollama',
    ])('the address of Ollama may be %j, and stays as it is', async (value) => {
      const outcome = await load({ env: { OLLAMA_HOST: value } });
      expect(outcome).toMatchObject({ ok: true, value: { config: { ollama: { url: value } } } });
    });

    test('all problems are told at once', async () => {
      const named = await file('x.conf', { worker: { concurrency: 'two', nope: 1 } });
      expect(await problems({ file: named })).toHaveLength(2);
    });

    test('a file that is not there or not JSON is named', async () => {
      expect((await problems({ file: join(dir, 'missing.json') }))[0]).toContain('cannot be read');
      const broken = await file('b.conf', '{');
      expect((await problems({ file: broken }))[0]).toContain('is not valid JSON');
    });

    test('a secret is not repeated in an error', async () => {
      const [problem] = await problems({ env: { SIDECAR_TOKEN: 'x'.repeat(300) } });
      expect(problem).toContain('****');
      expect(problem).not.toContain('xxx');
      for (const variable of ['OLLAMA_HOST', 'SIDECAR_OBSERVABILITY_OTLP_ENDPOINT'])
        expect(await problems({ env: { [variable]: 'ftp://me:xxx@host' } })).toEqual([
          expect.stringMatching(/"ftp:\/\/\*{4}@host"/u),
        ]);
    });
  });
});

async function problemsOf(mcp: unknown): Promise<string> {
  const flags = { 'tools.mcp': { flag: '--set tools.mcp', value: mcp } };
  const outcome = await loadConfig({ env: {}, userDir: '/nowhere', flags });
  return outcome.ok ? '' : outcome.problems.join('\n');
}

test('a server is a program or an address', async () => {
  expect(
    await problemsOf({ a: { command: 'mcp-server', args: ['.'] }, b: { url: 'https://mcp.example/mcp' } }),
  ).toBe('');
  expect(await problemsOf({ a: {} })).toContain('write either command');
  expect(await problemsOf({ a: { command: 'x', url: 'http://b' } })).toContain('write either command');
  expect(await problemsOf({ a: { url: 'ftp://b' } })).toContain('write an address such as');
  expect(await problemsOf({ a: { url: 'http://me:pass@b' } })).not.toContain('pass@');
  expect(await problemsOf({ a: { command: '-c' } })).toContain('`command` must start with a program');
  expect(await problemsOf({ 'a b': { command: 'x' } })).toContain('tools.mcp');
});

test('what servers are given is never shown', async () => {
  const mcp = {
    a: { command: 'x', env: { API_KEY: 'hidden' }, headers: { Authorization: 'Bearer hidden' } },
  };
  expect(formatSetting(mcp)).toContain('"API_KEY":"****"');
  expect(formatSetting(mcp)).not.toContain('hidden');
  expect(await problemsOf({ a: { ...mcp.a, only: 'all' } })).not.toContain('hidden');
});

describe('own tools', () => {
  const TOOL = {
    name: 'run_migration',
    description: 'Apply one migration.',
    command: ['npm', 'run', 'migrate'],
  };

  async function problemsOf(own: unknown): Promise<string[]> {
    const flags = { 'tools.own': { flag: '--set tools.own', value: own } };
    const outcome = await loadConfig({ env: {}, userDir: '/nowhere', flags });
    return outcome.ok ? [] : outcome.problems;
  }

  test('an own tool needs little', async () => {
    const flags = { 'tools.own': { flag: '--set', value: [TOOL] } };
    const outcome = await loadConfig({ env: {}, userDir: '/nowhere', flags });
    if (!outcome.ok) throw new Error(outcome.problems.join());
    expect(outcome.value.config.tools.own).toEqual([
      {
        ...TOOL,
        parameters: { type: 'object', properties: {}, required: [] },
        effects: 'any',
        timeoutMs: 60_000,
        network: false,
      },
    ]);
  });

  test.each([
    ['a name with capitals', { ...TOOL, name: 'RunMigration' }, 'write a name of lower-case letters'],
    ['a shell command', { ...TOOL, command: 'npm run migrate' }, 'write an array'],
    [
      'a program that a parameter names',
      { ...TOOL, command: ['{program}'] },
      '`command` must start with a program',
    ],
    [
      'a program that looks like an option',
      { ...TOOL, command: ['-c'] },
      '`command` must start with a program',
    ],
    [
      'a parameter that the command does not use',
      { ...TOOL, parameters: { properties: { name: { type: 'string' } } } },
      'the command does not use the parameter name; add {name} to it',
    ],
    [
      'a required parameter that there is not',
      { ...TOOL, parameters: { required: ['name'] } },
      'name is not in `properties`',
    ],
    [
      'a pattern',
      { ...TOOL, parameters: { properties: { a: { pattern: '(a+)+$' } } } },
      'unknown key pattern',
    ],
    ['no description', { ...TOOL, description: '' }, 'write a value'],
  ])('%s is refused with what to write', async (_what, tool, advice) => {
    const problems = await problemsOf([tool]);
    expect(problems.join('\n')).toContain(advice);
    expect(problems.join('\n')).toContain('tools.own');
  });
});

describe('the configuration schema', () => {
  test('an empty file is a valid one with every default', () => {
    const config = configSchema.parse({});
    expect(config.worker.concurrency).toBe(1);
    expect(config.limits.maxIterations).toBe(10);
  });

  test('an unknown key is an error', () => {
    expect(configSchema.safeParse({ worker: { concurency: 2 } }).success).toBe(false);
  });
});
