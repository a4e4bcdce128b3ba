/** The scenario of docs/SCRIPTED-MODEL.md does what is said of it. */
import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from '@jest/globals';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { commandLine, type CommandLine } from '../cli/command-line.ts';
import { sampleRepository } from '../support/sample-repository.ts';

let cli: CommandLine;
afterEach(() => cli.close());

const [, example = ''] = /```json\n(.+?)```/su.exec(await readFile('docs/SCRIPTED-MODEL.md', 'utf8')) ?? [];

test('the example repairs a repository, with the drafts that a worker asks for first', async () => {
  cli = await commandLine(JSON.parse(example) as ScenarioInput);
  const repo = await sampleRepository(cli.dir, { 'sum.js': 'export const sum = (a, b) => a - b;\n' });
  const task = ['make the failing test pass', '--repo', repo, '--verify', "grep 'a + b' sum.js"];
  const env = { SIDECAR_MODEL: 'qwen2.5-coder:7b', SIDECAR_SOLVING_STRATEGY: 'auto' };
  const { code, stdout } = await cli.start(['run', ...task, '--no-json'], env).ended;
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/SUCCESS \(verified\)[^]*Fixed: edited sum\.js\./u),
  ]);
  expect(stdout).toMatch(/the server is busy \(HTTP 503\)/u);
});
