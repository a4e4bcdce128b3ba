/** A task that waits long for a person, on a clock that the test moves. */
import { afterEach, expect, test } from '@jest/globals';
import { ManualClock } from '../support/manual-clock.ts';
import { json, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { quiet } from '../support/until.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

/** Moves the worker's time a second at a time, with everything delivered in between. */
async function pass(clock: ManualClock, durationMs: number): Promise<void> {
  for (let leftMs = durationMs; leftMs > 0; leftMs -= 1_000) {
    await clock.advance(Math.min(leftMs, 1_000));
    await quiet();
  }
}

const question = json({ request_approval: 'Tabs or spaces?' });

/** Runs a task that asks; `answerAfterMs` of the worker's time go by before a person answers. */
async function ask(timeoutMs: number, waitMs: number, answers: boolean) {
  system = await startSystem({ turns: [question, say('Told: {{lastMessage}}')] });
  const clock = new ManualClock(Date.now());
  const config = {
    model: { toolMode: 'structured' as const },
    approval: { question: 'hub' as const, timeoutMs },
  };
  await system.worker('w1', config, clock);
  const { task_id: id } = await system.client.submit({ description: 'x', agentic: true });
  const said: string[] = [];
  const { result } = await system.untilEnded(id, async ({ kind, body }) => {
    if (body.event_type === 'status' && /person|Nobody/u.test(String(body.text)))
      said.push(String(body.text));
    if (kind === 'approval' && body.status === 'pending') {
      await pass(clock, waitMs);
      const answer = { approval_id: String(body.approval_id), decision: 'corrected', text: 'Tabs.' };
      if (answers) await system.answer(id, answer);
    }
  });
  return { said, output: String(result?.output), pending: clock.pending };
}

test('gives a sign of life every 30 s, then goes on without an answer', async () => {
  const { said, output } = await ask(100_000, 100_000, false);
  expect(said).toEqual([
    'Waiting for a person (question)',
    'Waiting for a person for 30 s (question)',
    'Waiting for a person for 60 s (question)',
    'Waiting for a person for 90 s (question)',
    'Nobody answered (question) within 100 s; going on without',
  ]);
  expect(output).toContain('Decide yourself and write down why');
});

test('gives none any more once a person has answered', async () => {
  const { said, output } = await ask(600_000, 65_000, true);
  expect(said).toEqual([
    'Waiting for a person (question)',
    'Waiting for a person for 30 s (question)',
    'Waiting for a person for 60 s (question)',
    'A person answered (question): corrected',
  ]);
  expect(output).toContain('Tabs.');
});
