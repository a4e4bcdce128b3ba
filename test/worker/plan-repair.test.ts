/** A planned task that finds its plan's document damaged when it goes on after its worker was killed. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { parsePlan } from '../../sidecar/plan/parse.ts';
import { emptyPlan } from '../../sidecar/plan/plan.ts';
import { serializePlan } from '../../sidecar/plan/serialize.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { chatsOf, planning, say, verbatim } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { killed, readyWorker } from '../support/worker-process.ts';

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
  return { ended, asked, kept: await Promise.all(kept.map((name) => readFile(join(folder, name), 'utf8'))) };
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
