import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parsePlan } from '../../sidecar/plan/parse.ts';
import { emptyPlan } from '../../sidecar/plan/plan.ts';
import { serializePlan } from '../../sidecar/plan/serialize.ts';
import { parseChatLog } from '../../sidecar/session/chat-log.ts';
import { eventually } from '../support/eventually.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, chatsOf, planning, say, verbatim } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { killed, readyWorker } from '../support/worker-process.ts';

/** A planned task that finds its plan's document damaged when it goes on after its worker was killed. */
describe('plan repair', () => {
  let system: TestSystem;
  afterEach(() => system.cleanup.close());

  const steps = ['First', 'Second'].map((description, index) => ({ step: index + 1, description }));
  const DAMAGED = '---\nstatus: [\n\u0000 cut off in the mid';

  const rescued = serializePlan({
    ...emptyPlan({ nowMs: Date.UTC(2026, 0, 7), goal: 'Two steps', criteria: ['Both are done'] }),
    decisionsMade: [
      { title: 'Kept over the damage', rationale: 'It stood there', timestamp: Date.UTC(2026, 0, 7) },
    ],
  });

  /** Kills the worker in the second step, damages the document, and lets another life end the task. */
  async function resumeWithDamage(repair: string) {
    system = await startSystem(
      {
        rules: [
          ...planning(steps, { log_entry: { action: 'Both', result: 'Done.', tools_used: [] } }),
          { when: { firstUser: 'Write the whole document again' }, ...verbatim(repair) },
        ],
        turns: [say('First is done.'), { ...say('Second is done.'), faults: [{ kind: 'silent' }] }],
      },
      { maxAttempts: 3 },
    );
    const one = await readyWorker(system, 'w1');
    const { task_id: id } = await system.client.submit({
      description: 'Two steps',
      repo: await sampleRepository(system.dir),
      workflow: 'planned',
      verification_steps: [{ type: 'file_exists', target: 'a.txt' }],
    });
    await system.model.waitForRequest(({ body }) => JSON.stringify(body ?? '').includes('Step 2 of 2'));
    await killed(one.child);
    const sessions = join(system.dir, 'data', 'sessions');
    const [session = ''] = await readdir(sessions);
    const folder = join(sessions, session);
    await writeFile(join(folder, 'plan_doc.md'), DAMAGED);
    const two = await readyWorker(system, 'w1');
    const ended = await system.untilEnded(id);
    two.child.kill('SIGTERM');
    await two.ended;
    const asked = chatsOf(system.model).filter(({ messages }) =>
      messages[0]?.content.includes('Write the whole document again'),
    );
    const kept = (await readdir(folder)).filter((name) => name.startsWith('plan_doc.md.broken-'));
    return {
      ended,
      asked,
      kept: await Promise.all(kept.map((name) => readFile(join(folder, name), 'utf8'))),
    };
  }

  test('has the model write it again, once, and goes on with what was saved', async () => {
    const { ended, asked, kept } = await resumeWithDamage(rescued);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.messages[0]?.content).toContain('cut off in the mid');
    expect(kept).toEqual([DAMAGED]);
    expect(ended.result).toMatchObject({ verification_status: expect.any(String) });
    expect(parsePlan(String(ended.result?.plan))).toMatchObject({
      success: true,
      plan: {
        goal: 'Two steps',
        acceptanceCriteria: [{ description: 'Both are done' }],
        decisionsMade: [{ title: 'Kept over the damage' }],
        steps: [
          { description: 'First', completed: true },
          { description: 'Second', completed: true },
        ],
        executionLog: [{ action: 'Both' }],
      },
    });
  }, 60_000);

  test('begins a new one where the model cannot, and keeps the damaged one beside it', async () => {
    const { ended, asked, kept } = await resumeWithDamage('I cannot read that either.');
    expect(asked).toHaveLength(1);
    expect(kept).toEqual([DAMAGED]);
    // Both steps are done, and the check passes as it did before them.
    expect(ended.result).toMatchObject({ status: 'partial', verification_status: 'unverified' });
    expect(parsePlan(String(ended.result?.plan))).toMatchObject({
      success: true,
      plan: {
        status: 'completed',
        goal: 'Two steps',
        steps: [{ completed: true }, { completed: true }],
        executionLog: [{ action: 'Both' }],
      },
    });
  }, 60_000);
});

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
    await killed(one.child);
    const two = await readyWorker(system, 'w1');
    const ended = await system.untilEnded(id);
    expect(ended).toMatchObject({ status: 'success', result: { verification_status: 'verified' } });
    expect(ended.result?.completed).toEqual(expect.arrayContaining(['Step 1: First', 'Step 2: Second']));
    // Plan, four answers of which one was lost and asked for again, summary.
    expect(asked()).toHaveLength(7);
    expect(asked()[5]).toEqual(asked()[4]);
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
    await one.wrote('A person said something to a task');
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
