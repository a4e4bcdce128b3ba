import { afterEach, expect, test } from '@jest/globals';
import { commandLine, jsonLines, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

test('tokens are made with an end, listed without their secrets, and revoked by name or id', async () => {
  cli = await commandLine();
  const hub = cli.start(['hub']);
  await hub.until(/the queue is kept/u);
  const made = await cli.run(['token', 'ci', '--role', 'submitter', '--expires', '30', '--json']);
  const [{ id, token, expires_at: end }] = jsonLines(made.stdout) as [Record<string, string>];
  expect(Number(end) - Date.now()).toBeGreaterThan(29 * 86_400_000);
  expect(await cli.run(['token', 'box'])).toMatchObject({ code: 0 });
  const submitted = await cli.run(['submit', 'x', '--no-json'], { SIDECAR_HUB_API_TOKEN: String(token) });
  expect(submitted).toMatchObject({ code: 0 });
  expect((await cli.run(['tasks', '--no-json'])).stdout).toMatch(/BY[^]*ci/u);
  const listed = await cli.run(['tokens', '--no-json']);
  expect(listed.stdout).toMatch(/^ID +NAME +ROLE +MADE +LAST USED +ENDS/u);
  expect(listed.stdout).toMatch(new RegExp(`^${id} +ci +submitter +\\S+ +\\S+ \\S+ +\\d{4}`, 'mu'));
  expect(listed.stdout).toMatch(/^\w+ +box +worker +\S+ +never +never/mu);
  expect(listed.stdout).not.toContain('osc_');
  expect(await cli.run(['tokens', 'revoke', 'nobody'])).toMatchObject({ code: 2 });
  expect(await cli.run(['tokens', 'revoke', 'box'])).toMatchObject({ code: 0 });
  await cli.run(['token', 'ci', '--role', 'viewer']);
  const twice = await cli.run(['tokens', 'revoke', 'ci']);
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining(String(id)) });
  const revoked = await cli.run(['tokens', 'revoke', String(id), '--no-json']);
  expect(revoked.stdout).toContain(`Revoked the token ci (${id}, submitter)`);
  expect(await cli.run(['tasks'], { SIDECAR_HUB_API_TOKEN: String(token) })).toMatchObject({ code: 4 });
  const left = jsonLines((await cli.run(['tokens', '--json'])).stdout).flat();
  expect(left).toMatchObject([{ name: 'ci', role: 'viewer' }]);
}, 60_000);
