import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { chmodSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, type CommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await commandLine();
});
afterEach(() => cli.close());

const caches = (): string => join(cli.dir, 'cache');
const folder = (): string => join(caches(), 'ollama-sidecar', 'code');
const version = async (env: Record<string, string> = {}) =>
  await cli.run(['--version'], { XDG_CACHE_HOME: caches(), ...env });

function kept(): string[] {
  try {
    return readdirSync(folder());
  } catch {
    return [];
  }
}

/** The only file there is. */
function onlyFile(): string {
  expect(kept()).toHaveLength(1);
  return join(folder(), kept()[0] ?? '');
}

test('what a command compiled is kept for its next start, readable by its owner alone', async () => {
  expect((await version()).code).toBe(0);
  const file = onlyFile();
  const { mode, mtimeMs, ino } = statSync(file);
  expect(mode & 0o777).toBe(0o600);
  expect(file).toContain(process.version);
  expect((await version()).stdout).toMatch(/^\d+\.\d+\.\d+/u);
  expect(statSync(file)).toMatchObject({ mtimeMs, ino });
});

test('each command has its own', async () => {
  await version();
  await cli.run(['config'], { XDG_CACHE_HOME: caches() });
  expect(kept().map((name) => name.split('-').at(-1))).toEqual(expect.arrayContaining(['config', 'other']));
});

test.each([
  ['garbage', () => Buffer.from('not what V8 wrote')],
  ['nothing', () => Buffer.alloc(0)],
  ['the half of a file', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
  ['a file with one wrong byte', (whole: Buffer) => whole.fill(~(whole[100_000] ?? 0), 100_000, 100_001)],
])('%s in its place is replaced', async (_what, damaged) => {
  await version();
  const file = onlyFile();
  const { ino } = statSync(file);
  writeFileSync(file, damaged(readFileSync(file)));
  const { code, stdout } = await version();
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d/u) });
  expect(statSync(file).ino).not.toBe(ino);
});

test('a file that others may write is not read but replaced', async () => {
  await version();
  const file = onlyFile();
  const { ino } = statSync(file);
  chmodSync(file, 0o666);
  expect((await version()).code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(file).ino).not.toBe(ino);
});

test('files that were made long ago go when a new one is written', async () => {
  await version();
  const old = join(folder(), '0123456789abcdef-v20.0.0-x64-run');
  writeFileSync(old, 'old');
  utimesSync(old, 1_600_000_000, 1_600_000_000);
  await cli.run(['config'], { XDG_CACHE_HOME: caches() });
  expect(kept()).toHaveLength(2);
  expect(kept()).not.toContain('0123456789abcdef-v20.0.0-x64-run');
});

test('a word that is no command leaves nothing', async () => {
  expect((await cli.run(['nonsense'], { XDG_CACHE_HOME: caches() })).code).toBe(2);
  expect(kept()).toEqual([]);
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

test('a daemon that is ended keeps what it compiled', async () => {
  const hub = cli.start(['hub', '--port', String(cli.port), '--json'], { XDG_CACHE_HOME: caches() });
  await hub.until(/http:/u);
  hub.kill('SIGTERM');
  await hub.ended;
  expect(kept().map((name) => name.split('-').at(-1))).toEqual(['hub']);
});
