import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isOnPath } from '../../sidecar/workspace/commands/find-executable.ts';
import { say, testModel } from '../support/scripted-model.ts';
import { commandLine, jsonLines, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
let taskId: string;
beforeAll(async () => {
  cli = await commandLine(repair);
  const repo = await cli.repository();
  const done = await cli.run(['run', 'repair a.txt', '--repo', repo, '--verify', 'grep good a.txt']);
  taskId = String(jsonLines(done.stdout).at(-1)?.task_id);
});
afterAll(() => cli.close());

describe('what was done can be looked at afterwards', () => {
  test('show --costs adds up calls by task, model and day', async () => {
    const rows = async (by: string) =>
      JSON.parse((await cli.run(['show', '--costs', by, '--json'])).stdout) as Record<string, unknown>[];
    expect(await rows('task')).toEqual([expect.objectContaining({ name: taskId, calls: 3 })]);
    expect(await rows('model')).toEqual([expect.objectContaining({ name: 'm', calls: 3 })]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await rows('day')).toEqual([expect.objectContaining({ name: today, calls: 3 })]);
    const text = await cli.run(['show', '--costs', 'task', '--no-json']);
    expect(text.stdout).toMatch(/^TASK +CALLS +TOKENS IN/mu);
    expect(text.stdout).toMatch(/^total +3 /mu);
  });

  test('show ID --costs call lists the calls of a task', async () => {
    const { code, stdout } = await cli.run(['show', taskId, '--costs', 'call', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject(Array.from({ length: 3 }, () => ({ taskId, model: 'm' })));
  });

  test('show lists past tasks and shows what was said', async () => {
    const listed = await cli.run(['show', '--no-json']);
    expect(listed.stdout).toMatch(new RegExp(`^${taskId} +success .* m +delivered \\(complete\\)$`, 'mu'));
    const shown = await cli.run(['show', taskId, '--messages', '--no-json']);
    expect(shown.stdout).toMatch(/TOOL_CALL .*\n {2}edit_file\(/u);
    const asJson = JSON.parse((await cli.run(['show', 'last', '--messages', '--json'])).stdout) as {
      messages: unknown[];
      session: { id: string };
    };
    expect(asJson.messages.length).toBeGreaterThan(5);
    const bySession = await cli.run(['show', asJson.session.id, '--json']);
    expect(JSON.parse(bySession.stdout)).toMatchObject({ task_id: taskId, result: { status: 'success' } });
    expect((await cli.run(['show', '--costs', 'task', '--days', '1', '--no-json'])).stdout).toMatch(
      /^total +3 /mu,
    );
  });

  test('replay runs a task again without a model', async () => {
    const before = cli.model.requests.length;
    const { code, stdout, stderr } = await cli.run(['dev', 'replay', taskId, '--no-json']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringContaining('SUCCESS (verified)'),
      stderr: expect.stringContaining('The replay ended with status success, as recorded'),
    });
    expect(stderr).toContain('3 recorded answers');
    expect(cli.model.requests.length).toBe(before);
    expect(await readdir(join(cli.stateDir, 'runs'))).toEqual(['1']);
  });
});

describe('doctor', () => {
  test('says what there is, and ends with 0 where nothing is missing', async () => {
    const { code, stdout } = await cli.run(['doctor', '--json']);
    const findings = JSON.parse(stdout) as { what: string; status: string; found: string }[];
    expect(findings.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        'node',
        'git',
        'ripgrep',
        'sandbox',
        'limits',
        'gpu',
        'disk',
        'ollama',
        'model',
        'hub',
      ]),
    );
    expect(code).toBe(0);
  });

  (isOnPath('bwrap') ? test : test.skip)(
    'names stores that builds cannot read, and the setting',
    async () => {
      const home = join(cli.stateDir, 'home');
      for (const name of ['go/pkg/mod', '.local/share/pnpm/store', '.gradle/caches/modules-2'])
        await mkdir(join(home, name), { recursive: true });
      const doctor = async (read: string[]) => {
        const env = {
          HOME: home,
          PNPM_HOME: '',
          GOPATH: '',
          SIDECAR_SANDBOX_MODE: 'auto',
          SIDECAR_SANDBOX_READ: JSON.stringify(read),
        };
        const { stdout } = await cli.run(['doctor', '--json'], env);
        const findings = JSON.parse(stdout) as { what: string; found: string; advice?: string }[];
        return findings.find(({ what }) => what === 'tool chains');
      };
      const pnpm = `${home}/.local/share/pnpm/store`;
      expect(await doctor([])).toMatchObject({
        status: 'warning',
        found: expect.stringMatching(/^node, .*; package stores: Go, Gradle$/u),
        advice: expect.stringContaining(`add those that builds require to sandbox.read: ${pnpm} (pnpm`),
      });
      const all = await doctor([pnpm]);
      expect(all).toEqual({
        what: 'tool chains',
        status: 'ok',
        found: expect.stringMatching(/Go, pnpm, Gradle$/u),
      });
    },
  );

  test('ends with 7 and says what to do where something is', async () => {
    const { code, stdout } = await cli.run(['doctor', '--no-json'], { OLLAMA_HOST: 'http://127.0.0.1:9' });
    expect(stdout).toMatch(/model: once Ollama answers, `ollama-sidecar models recommend` lists models/u);
    expect([code, stdout]).toEqual([7, expect.stringMatching(/✗ ollama: .*ollama serve/u)]);
  });

  test('names a server that is too old for its model', async () => {
    const { url } = await testModel({ models: [{ name: 'm', requires: '99.0.1' }] });
    const { code, stdout } = await cli.run(['doctor', '--no-json'], { OLLAMA_HOST: url });
    expect([code, stdout]).toEqual([
      7,
      expect.stringMatching(/✗ +model +m requires Ollama 99\.0\.1; .* runs 0\.0\.0/u),
    ]);
    expect(stdout).toMatch(/✗ model: update Ollama on this server/u);
  });

  test('says how many calls a server with a loaded model answers at once', async () => {
    const card = await testModel({
      models: [{ name: 'm' }],
      card: { slots: 3 },
      speed: { tokensPerSecond: 100 },
      turns: [{ ...say('one two three '.repeat(8)), repeat: 'always' }],
    });
    const doctor = async (slots: string) =>
      (await cli.run(['doctor', '--no-json'], { OLLAMA_HOST: card.url, SIDECAR_OLLAMA_SLOTS: slots })).stdout;
    expect(await doctor('1')).toMatch(/✓ +ollama/u);
    const load = { model: 'm', messages: [] };
    await fetch(`${card.url}/api/chat`, { method: 'POST', body: JSON.stringify(load) });
    expect(await doctor('1')).toMatch(
      /! ollama: the server generated 3 answers in parallel: set ollama\.slots .* to 3/u,
    );
    expect(await doctor('3')).toMatch(/✓ +ollama .*3 parallel calls/u);
  });

  test('has a line for each of several model servers, and goes on where one answers', async () => {
    const other = await testModel({ models: [{ name: 'other' }], turns: [say('x')] });
    const endpoints = (...urls: string[]) => ({
      SIDECAR_OLLAMA_ENDPOINTS: JSON.stringify(urls.map((url) => ({ url }))),
    });
    const doctor = async (...urls: string[]) => {
      const { code, stdout } = await cli.run(['doctor', '--json'], endpoints(...urls));
      const findings = JSON.parse(stdout) as {
        what: string;
        status: string;
        found: string;
        advice?: string;
      }[];
      return { code, of: (which: string) => findings.filter(({ what }) => what === which) };
    };
    const { code, of } = await doctor('http://127.0.0.1:9', other.url, cli.model.url);
    expect(of('ollama')).toMatchObject([
      {
        status: 'warning',
        found: 'http://127.0.0.1:9 does not answer',
        advice: expect.stringMatching(/use the other servers$/u),
      },
      { status: 'ok', found: expect.stringContaining(other.url) },
      { status: 'ok', found: expect.stringContaining(`${cli.model.url}, 1 parallel calls`) },
    ]);
    // The default model, of which only the last one has a copy.
    expect(of('model')).toMatchObject([{ found: expect.stringMatching(/^m, /u) }]);
    expect(code).toBe(0);
    const none = await doctor('http://127.0.0.1:9', 'http://127.0.0.1:7');
    expect(none.of('ollama').map(({ status }) => status)).toEqual(['problem', 'problem']);
    expect(none.code).toBe(7);
  });

  test.each([
    ['nonsense', /^"nonsense" is not a valid address; write an address such as ws:/u],
    ['ws://hub.example/ws', /hub\.example is not this machine, so its address must begin with wss:/u],
    ['wss://me:pass@hub.example/ws', /must not contain a password/u],
  ])('says of the address %s of a hub what start would say', async (url, advice) => {
    const { code, stdout } = await cli.run(['doctor', '--json', '--hub-url', url]);
    expect(code).toBe(7);
    expect(stdout).not.toContain('pass@');
    const findings = JSON.parse(stdout) as { what: string }[];
    expect(findings.find(({ what }) => what === 'hub')).toMatchObject({
      status: 'problem',
      advice: expect.stringMatching(advice),
    });
  });
});

describe('config', () => {
  test('prints every value with its source and masks secrets', async () => {
    const { code, stdout } = await cli.run(['config', '--no-json'], { SIDECAR_TOKEN: 'osc_worker_secret' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^hub\.token +"\*{4}" +environment SIDECAR_TOKEN$/mu);
    expect(stdout).toMatch(/^model\.default +"m" +environment SIDECAR_MODEL$/mu);
    expect(stdout).toMatch(/^worker\.concurrency +1 +default$/mu);
    expect(stdout).not.toContain('osc_worker_secret');
  });

  test.each([
    ['--no-json', 'pass%21'],
    ['--json', 'pass%21'],
    ['--no-json', 'pass@word'],
  ])('shows no password of a database: %s, %s', async (form, password) => {
    const env = { SIDECAR_EMBEDDED_HUB_DATABASE: `postgres://hub:${password}@db/hub` };
    const { stdout } = await cli.run(['config', form], env);
    expect(stdout).toContain('"postgres://****@db/hub"');
    expect(stdout).not.toContain('pass');
  });

  test('leaves out what needs no thought, unless it is set or asked for', async () => {
    const { stdout: few } = await cli.run(['config', '--no-json'], { SIDECAR_WORKER_QUEUE_SIZE: '7' });
    expect(few.trim().split('\n').length).toBeLessThan(12 + 9);
    expect(few).toMatch(/^worker\.queueSize +7 +environment/mu);
    expect(few).not.toContain('hub.connectTimeoutMs');
    expect(few).toMatch(/^\d+ more settings have default values; --all/mu);
    const { stdout: all } = await cli.run(['config', '--all', '--no-json']);
    expect(all).toMatch(/^hub\.connectTimeoutMs +15000 +default$/mu);
  });

  test('prints the JSON Schema', async () => {
    const { stdout } = await cli.run(['dev', 'schema']);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'ollama-sidecar configuration' });
  });
});

test('dev scripted-model serves a scenario until it is stopped', async () => {
  const file = join(cli.dir, 'scenario.json');
  await writeFile(file, JSON.stringify({ models: [{ name: 'other' }] }));
  const serving = cli.start(['dev', 'scripted-model', file]);
  const [, url = ''] = /listens on (\S+)/u.exec(await serving.until(/listens on \S+/u)) ?? [];
  const tags = await fetch(`${url}/api/tags`);
  expect(await tags.json()).toMatchObject({ models: [{ name: 'other' }] });
  serving.kill('SIGINT');
  expect(await serving.ended).toMatchObject({ code: 0 });
  const { code, stderr } = await cli.run(['dev', 'scripted-model', join(cli.dir, 'nowhere.json')]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere.json') });
});
