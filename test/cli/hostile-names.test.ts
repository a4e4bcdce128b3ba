/** Names that a hub chose are shown without what would steer a terminal. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { commandLine, type CommandLine } from './command-line.ts';

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
