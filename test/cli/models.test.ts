/** `models`: what is installed and what it is good for, what fits, and a pull. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatBar } from '../../sidecar/cli/commands/models.ts';
import { evaluationRecord } from '../support/evaluation-record.ts';
import { commandLine, jsonLines, type CommandLine } from './command-line.ts';

let cli: CommandLine;
beforeAll(async () => {
  cli = await commandLine({
    models: [
      { name: 'qwen2.5-coder:7b', contextLength: 32_768 },
      { name: 'gpt-oss:20b', capabilities: ['completion', 'tools', 'thinking'], sizeBytes: 14_000_000_000 },
      { name: 'own:1b', capabilities: ['completion'], contextLength: 4096, sizeBytes: 800_000_000 },
      { name: 'embedder:1', capabilities: ['embedding'], sizeBytes: 300_000_000 },
      { name: 'later:3b', installed: false },
    ],
  });
});
afterAll(() => cli.close());

/** An evaluation in which the model solved its only task. */
const evaluation = (model: string) => ({
  settings: {
    suite: 's',
    models: [model],
    runs: 1,
    timeoutSeconds: 60,
    program: 'x',
    startedAt: '2026-01-01T00:00:00Z',
  },
  records: [evaluationRecord({ model })],
});

const usual = { SIDECAR_MODEL: 'qwen2.5-coder:7b' };

describe('models', () => {
  test('tells of each installed model how it is asked, what it solves and which tasks it gets', async () => {
    const folder = join(cli.dir, '.local/share/ollama-sidecar/evaluations/2026-01-01');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'result.json'), JSON.stringify(evaluation('gpt-oss:20b')));
    const { code, stdout } = await cli.run(['models'], usual);
    const [models] = jsonLines(stdout) as unknown as [Record<string, unknown>[]];
    expect(code).toBe(0);
    expect(models).toMatchObject([
      {
        name: 'gpt-oss:20b',
        family: 'gpt-oss',
        toolMode: 'native',
        think: 'low',
        windowTokens: 32_768,
        taskTypes: [],
        measured: { solved: 1, runs: 1 },
      },
      {
        name: 'qwen2.5-coder:7b',
        family: 'Qwen 2.5 Coder 7B',
        solving: { drafts: 3 },
        taskTypes: ['coding', 'architecture', 'refactoring', 'planning', 'other'],
      },
      { name: 'own:1b', toolMode: 'structured', windowTokens: 4096, canChat: true },
      { name: 'embedder:1', canChat: false, taskTypes: [] },
    ]);
    expect(models?.every(({ fit }) => typeof fit === 'string')).toBe(true);
  });

  test('is a table for people, and says what to do when none would be taken', async () => {
    const { stdout } = await cli.run(['models', '--no-json'], { SIDECAR_MODEL: 'nothing:1b' });
    expect(stdout).toMatch(/^MODEL +SIZE +FITS +PROFILE +WINDOW +SOLVED +TASKS/mu);
    expect(stdout).toMatch(
      /^gpt-oss:20b +13\.0 GiB .* gpt-oss: native, 3 drafts, thinks \(low\) +32768 +100 % of 1/mu,
    );
    expect(stdout).toMatch(/^embedder:1 .*cannot chat/mu);
    const without = await cli.run(['models', '--no-json'], usual);
    expect(without.stdout).not.toContain('would use none');
  });

  test('a server that does not answer: 7', async () => {
    const { code, stderr } = await cli.run(['models', '--ollama-url', 'http://192.0.2.1:9'], {});
    expect([code, stderr]).toEqual([7, expect.stringContaining('192.0.2.1')]);
  });
});

describe('models recommend', () => {
  test('says what this machine has and names models that fit it', async () => {
    const asJson = await cli.run(['models', 'recommend']);
    const [{ memory, models } = {}] = jsonLines(asJson.stdout);
    expect(memory).toMatchObject({ memoryBytes: expect.any(Number) });
    expect((models as object[]).length).toBeGreaterThan(0);
    const { code, stdout } = await cli.run(['models', 'recommend', '--no-json']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^This machine: .*of memory\.$/mu)]);
    expect(stdout).toMatch(/^ {2}ollama-sidecar models pull \S+$/mu);
  });
});

describe('models pull', () => {
  test('brings a model, tells how far it is, and what it is', async () => {
    const { code, stdout, stderr } = await cli.run(['models', 'pull', 'later:3b']);
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([{ name: 'later:3b', windowTokens: 32_768 }]);
    expect(stderr).toContain('Pulling later:3b: 50 %');
    expect(stderr).toContain('Pulling later:3b: 100 %');
  });

  test('a model that there is not: 7', async () => {
    const { code, stderr } = await cli.run(['models', 'pull', 'nowhere:1b']);
    expect(code).toBe(7);
    expect(stderr).toContain('Could not pull nowhere:1b: ');
  });

  test.each([[[]], [['']]])('without a name: 2', async (names) => {
    expect((await cli.run(['models', 'pull', ...names])).code).toBe(2);
  });

  test('the bar fills up', () => {
    expect(formatBar('Pulling m', 50)).toBe(`Pulling m  [${'#'.repeat(15)}${'·'.repeat(15)}]  50 %`);
    expect(formatBar('m', 400)).toContain(`[${'#'.repeat(30)}] 400 %`);
  });
});

test('doctor points there when no model can be used', async () => {
  const bare = await commandLine({ models: [{ name: 'embedder:1', capabilities: ['embedding'] }] });
  const { stdout } = await bare.run(['doctor', '--no-json'], usual);
  await bare.close();
  expect(stdout).toContain('ollama-sidecar models recommend');
});
