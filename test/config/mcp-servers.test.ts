import { expect, test } from '@jest/globals';
import { loadConfig, shownSetting } from '../../sidecar/config/load.ts';

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
  expect(await problemsOf({ a: { command: '-c' } })).toContain('begin with the program itself');
  expect(await problemsOf({ 'a b': { command: 'x' } })).toContain('tools.mcp');
});

test('what servers are given is never shown', async () => {
  const mcp = {
    a: { command: 'x', env: { API_KEY: 'hidden' }, headers: { Authorization: 'Bearer hidden' } },
  };
  expect(shownSetting(mcp)).toContain('"API_KEY":"****"');
  expect(shownSetting(mcp)).not.toContain('hidden');
  expect(await problemsOf({ a: { ...mcp.a, only: 'all' } })).not.toContain('hidden');
});
