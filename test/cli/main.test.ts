/** What Node compiled of the program is kept for the next start, where Node can do that. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { commandLine, type CommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await commandLine();
});
afterEach(() => cli.close());

const caches = (): string => join(cli.dir, 'cache');
const version = async (env: Record<string, string> = {}) =>
  await cli.start(['--version'], { XDG_CACHE_HOME: caches(), ...env }).ended;

function kept(): string[] {
  try {
    return readdirSync(join(caches(), 'ollama-sidecar', 'code'), { recursive: true }).map(String);
  } catch {
    return [];
  }
}

const canKeep = 'enableCompileCache' in nodeModule;

test('compiled code is kept in the folder of the user, where this Node keeps any', async () => {
  expect(await version()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/u) });
  expect(kept().length > 0).toBe(canKeep);
  expect(await version()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/u) });
});

test.each([
  ['below a file', '/dev/null'],
  ['with too long a name', `/${'x'.repeat(300)}`],
])('a folder %s, which cannot be made, changes nothing', async (_what, place) => {
  expect(await version({ XDG_CACHE_HOME: place })).toMatchObject({ code: 0, stderr: '' });
});

test('it can be switched off', async () => {
  expect((await version({ NODE_DISABLE_COMPILE_CACHE: '1' })).code).toBe(0);
  expect(kept()).toEqual([]);
});
