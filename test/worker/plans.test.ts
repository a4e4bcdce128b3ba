import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parseChatLog } from '../../sidecar/solving/session/chat-log.ts';
import { eventually } from '../support/eventually.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, chatsOf, planning, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { killed, readyWorker } from '../support/worker-process.ts';

/** A planned task whose worker process is killed in the middle of its second stage. */
describe('planned kill', () => {
  let system: TestSystem;
  afterEach(() => system.cleanup.close());

  test('a planned task whose worker was killed in stage 2 goes on with the step where it was', async () => {
    const steps = ['First', 'Second'].map((description, index) => ({ step: index + 1, description }));
    system = await startSystem(
      {
        rules: planning(steps, { log_entry: { action: 'Both', result: 'Done.', tools_used: ['shell'] } }),
        turns: [
          call('shell', { command: 'echo 1 >> steps.txt' }),
          say('First is done.'),
          call('shell', { command: 'echo 2 >> steps.txt' }),
          // The model is thinking in the middle of the second step when the worker dies.
          { ...say('Second is done.'), faults: [{ kind: 'silent' }] },
        ],
      },
      { maxAttempts: 3 },
    );
    const one = await readyWorker(system, 'w1');
    const { task_id: id } = await system.client.submit({
      description: 'Two steps',
      repo: await sampleRepository(system.dir),
      workflow: 'planned',
      verification_steps: [
        { type: 'command_succeeds', target: 'test "$(cat steps.txt | tr -d \'\\n\')" = 12' },
      ],
    });
    const asked = () => chatsOf(system.model).map(({ messages }) => messages);
    for (let seen = 1; asked().length < 5; seen += 1) await system.model.waitForRequest(seen);
    const sessions = join(system.dir, 'data', 'sessions');
    const toolCalls = async () => {
      const folders = await readdir(sessions);
      expect(folders).toHaveLength(1);
      const log = parseChatLog(await readFile(join(sessions, folders[0] ?? '', 'chat_history.log'), 'utf8'));
      return log.filter(({ type }) => type === 'TOOL_CALL').length;
    };
    // The log goes to disk beside the next question, which does not wait for it.
    let logged = 0;
    await eventually(
      () => logged === 2,
      'the log of both calls',
      async () => {
        logged = await toolCalls();
      },
    );
    // So is the tree that a call left.
    const state = new Sqlite(join(system.dir, 'w1', 'state.sqlite'), { readonly: true });
    const ends = state.prepare("SELECT id FROM journal WHERE kind = 'result' AND body LIKE '{%\"tree\":%'");
    await eventually(() => ends.all().length === 2, 'the ends of both calls');
    state.close();
    await killed(one.child);
    const two = await readyWorker(system, 'w1');
    const ended = await system.untilEnded(id);
    expect(ended).toMatchObject({ status: 'success', result: { verification_status: 'verified' } });
    expect(ended.result?.completed).toEqual(expect.arrayContaining(['Step 1: First', 'Step 2: Second']));
    // Plan, four answers of which one was lost and asked for again, summary.
    expect(asked()).toHaveLength(7);
    // The document says when it was made.
    const timeless = (body: unknown) => JSON.stringify(body).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'TIME');
    expect(timeless(asked()[5])).toEqual(timeless(asked()[4]));
    expect(await toolCalls()).toBe(2);
    two.child.kill('SIGTERM');
    await two.ended;
  }, 60_000);
});

/** What a person said to a task whose worker process is killed before its loop took it. */
describe('steering kill', () => {
  let system: TestSystem;
  afterEach(() => system.cleanup.close());

  test('is told to the model once by the worker that goes on', async () => {
    const look = { ...call('glob', { pattern: '*' }), faults: [{ kind: 'silent' as const }] };
    system = await startSystem({ turns: [look, say('Done.')] }, { maxAttempts: 3 });
    const one = await readyWorker(system, 'w1');
    const { task_id: id } = await system.client.submit({
      description: 'x',
      repo: await sampleRepository(system.dir),
    });
    await system.model.waitForRequest(({ body }) => JSON.stringify(body).includes('Task'));
    await system.api(`/api/tasks/${id}/steer`, { text: 'Use tabs.' });
    await one.wrote('A user steered a task');
    await killed(one.child);
    const two = await readyWorker(system, 'w1');
    const ended = await system.untilEnded(id);
    expect(ended).toMatchObject({ status: 'success', result: { output: 'Done.' } });
    const said = (chatsOf(system.model).at(-1)?.messages ?? []).filter(({ content }) =>
      content.includes('Use tabs.'),
    );
    expect(said).toHaveLength(1);
    two.child.kill('SIGTERM');
    await two.ended;
  }, 60_000);
});
