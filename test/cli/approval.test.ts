/** A task that asks a person, watched from a terminal: the question and its answer stand in the timeline. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { planning, say } from '../support/scripted-model.ts';
import { commandLine, jsonLines, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

const summary = {
  log_entry: { action: 'Looked around', details: 'x', result: 'fine', tools_used: [] },
  acceptance_criteria_updates: [],
  decisions_made: [],
};

test('a question says where it is answered, and is followed by its answer', async () => {
  cli = await commandLine({
    rules: planning([{ step: 1, description: 'Look around' }], summary),
    turns: [say('I looked around.')],
  });
  const daemon = cli.start(['up'], { SIDECAR_APPROVAL_SUMMARY: 'hub' });
  await daemon.until(/Ctrl-C finishes/u);
  const token = readFileSync(join(cli.stateDir, 'hub-admin.token'), 'utf8').trim();
  const repo = await cli.repository();
  const args = ['submit', 'look around', '--planned', '--read-only', '--repo', repo];
  const { stdout } = await cli.run(args);
  const { task_id: id } = jsonLines(stdout)[0] as { task_id: string };
  const watching = cli.start(['watch', id, '--no-json']);
  await watching.until(/asks {2}summary, to be answered on the dashboard\n {8}Looked around/u);
  const api = `http://127.0.0.1:${cli.port}/api/tasks/${id}/approvals`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { approvals } = (await (await fetch(api, { headers })).json()) as {
    approvals: { approval_id: string }[];
  };
  const answer = {
    approval_id: approvals[0]?.approval_id,
    decision: 'corrected',
    text: 'It was a short look.',
  };
  const answered = await fetch(api, { method: 'POST', headers, body: JSON.stringify(answer) });
  expect(answered.status).toBe(200);
  const ended = await watching.ended;
  expect(ended.stdout).toMatch(/asks {2}summary: corrected: It was a short look\./u);
  expect(ended.code).toBe(0);
});
