import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import { readLedger } from '../../sidecar/worker/ledger/export.ts';
import {
  MAX_DETAIL_CHARS,
  MAX_EVENT_DETAILS,
  MAX_TASK_DETAIL_CHARS,
} from '../../sidecar/base/protocol/limits.ts';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { limitDetails, EventDetails } from '../../sidecar/worker/event-details.ts';
import { buildFailedFrame, buildTerminalFrame } from '../../sidecar/worker/terminal-frame.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, calls, chatsOf, json, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { until } from '../support/until.ts';
import { killed, startWorkerProcess, workerPlace } from '../support/worker-process.ts';

let system: TestSystem;
afterEach(() => system?.cleanup.close());

/** What is behind the events of a task: on the hub within bounds, masked, and only where the operator wants it. */
const event = (text: string) => ({
  event_type: 'status' as const,
  text: 'x',
  details: [{ title: 'T', text }],
});

describe('details', () => {
  test('of an event have a bound: the longest text loses its middle, short ones stay whole', () => {
    const short = { title: 'Prompt: user', text: 'short' };
    const long = { title: 'Prompt: system', text: 'a'.repeat(3 * MAX_DETAIL_CHARS) };
    const [first, second] = limitDetails([long, short]);
    expect(second).toEqual(short);
    expect(first?.text).toMatch(/^a+\n\[… \d+ characters omitted …\]\na+$/u);
    expect(first?.text.length).toBeLessThan(MAX_DETAIL_CHARS + 50);
  });

  test('that are too many lose the first ones, which is said', () => {
    const many = Array.from({ length: MAX_EVENT_DETAILS + 5 }, (_, index) => ({
      title: `${index}`,
      text: 'x',
    }));
    const kept = limitDetails(many);
    expect(kept).toHaveLength(MAX_EVENT_DETAILS);
    expect(kept[0]).toEqual({ title: 'Left out', text: '6 earlier parts are omitted.' });
    expect(kept.at(-1)).toEqual(many.at(-1));
  });

  test('of a run have a bound: later events say that theirs are left out', () => {
    const details = new EventDetails();
    const full = MAX_TASK_DETAIL_CHARS / MAX_DETAIL_CHARS;
    const kept = Array.from({ length: full + 1 }, () => details.limit(event('a'.repeat(MAX_DETAIL_CHARS))));
    expect(kept.at(-2)?.details?.[0]?.title).toBe('T');
    expect(kept.at(-1)?.details).toMatchObject([{ title: 'Left out' }]);
    expect(details.limit({ event_type: 'status', text: 'x' })).not.toHaveProperty('details');
  });
});

describe('on a hub', () => {
  async function prompts(config: object = {}) {
    process.env.DEPLOY_TOKEN = 'tr0ub4dor-and-3-more';
    system = await startSystem({ turns: [call('read_file', { file_path: 'a.txt' }), say('Done.')] });
    const repo = await sampleRepository(system.dir, { 'a.txt': `log in with ${process.env.DEPLOY_TOKEN}\n` });
    await system.worker('w1', config);
    const events: { id: number; body: Record<string, unknown> }[] = [];
    const { task_id: id } = await system.client.submit({ description: 'Look', repo });
    await system.untilEnded(id, (one) => void events.push(one));
    delete process.env.DEPLOY_TOKEN;
    const opened = events.filter(({ body }) => body.has_details === true);
    const whole = await Promise.all(
      opened.map(
        (one) => system.api(`/api/tasks/${id}/events/${one.id}`) as Promise<(typeof events)[number]>,
      ),
    );
    return { events, whole };
  }

  test('a call of the model has the new messages of its prompt behind it, without secrets', async () => {
    const { events, whole } = await prompts();
    const titles = whole.map(({ body }) => (body.details as { title: string }[]).map(({ title }) => title));
    expect(titles).toEqual([
      ['Prompt: system', 'Prompt: user'],
      ['Prompt', 'Prompt: answer of the model', 'Prompt: result of read_file'],
    ]);
    expect(JSON.stringify(events)).not.toContain('"details"');
    expect(JSON.stringify(whole[1])).toContain('log in with ****');
    expect(JSON.stringify([events, whole])).not.toContain('tr0ub4dor');
  });
});

test('a patch with a secret in it is shown masked, says that it does not apply, and is not carried on', async () => {
  process.env.DB_PWD = 'tr0ub4dor-and-3-more';
  system = await startSystem({
    turns: [call('write_file', { file_path: 'b.txt', content: `${process.env.DB_PWD}\n` }), say('Done.')],
  });
  const repo = await sampleRepository(system.dir, { 'a.txt': 'a\n' });
  await system.worker('w1');
  const verification_steps = [{ type: 'command_succeeds' as const, target: 'false' }];
  const { task_id: id } = await system.client.submit({
    description: 'Write b.txt',
    repo,
    verification_steps,
  });
  const { changes, follow_up: followUp } = (await system.untilEnded(id)).result as unknown as TaskResult;
  expect(changes).toMatchObject({ patch: expect.stringContaining('+****'), patch_masked: true });
  expect(changes.patch_omitted).toMatch(
    /cannot be applied; the branch sidecar\/\S+ has the unmasked changes/u,
  );
  expect(followUp?.metadata).not.toHaveProperty('follow_up_patch');
  expect([followUp?.base_ref, followUp?.repo]).toEqual([changes.head_commit, repo]);
});

/** What tasks have used on a hub is what the ledgers of its workers say, whatever happened to their attempts. */
describe('figures', () => {
  /** The worker's process runs the built library. */
  const BUILT = existsSync('dist/index.js');
  const ROUNDS = 4;
  let system: TestSystem;
  beforeAll(async () => {
    const round = (n: number) => ({
      ...calls(['shell', { command: `echo {{firstUser|\\w+ now}} | grep -q Fails || echo ${n} > file.txt` }]),
      tokensIn: 900,
      tokensOut: 100,
      delayMs: 200,
    });
    const turns = [...Array.from({ length: ROUNDS }, (_value, index) => round(index)), say('All done.')];
    const timings = { preferenceMs: 200, retryMinMs: 100, retryMaxMs: 100 };
    system = await startSystem({ turns }, { maxAttempts: 2, timings });
  }, 60_000);
  afterAll(() => system.cleanup.close());

  interface Sums {
    tokensIn: number;
    tokensOut: number;
  }
  const sumOf = (rows: readonly Sums[]): Sums => ({
    tokensIn: rows.reduce((sum, row) => sum + row.tokensIn, 0),
    tokensOut: rows.reduce((sum, row) => sum + row.tokensOut, 0),
  });

  const ofHub = async (): Promise<Sums> => {
    const tasks = await system.client.tasks({});
    return sumOf(tasks.map((one) => ({ tokensIn: one.tokens_in ?? 0, tokensOut: one.tokens_out ?? 0 })));
  };
  const ofLedgers = async (): Promise<Sums> => {
    const ledgers = await Promise.all(['w1', 'w2'].map((name) => readLedger(join(system.dir, name))));
    return sumOf(ledgers.flatMap(({ calls }) => calls));
  };

  (BUILT ? describe : describe.skip)('a hub with a killed worker and a retried task', () => {
    test('says the same as the ledgers of its workers', async () => {
      const { client } = system;
      const place = await workerPlace(system, 'w1');
      const first = startWorkerProcess(place, 'w1');
      await first.ready();
      const { task_id: shared } = await client.submit({ description: 'It works now', agentic: true });
      await until(() => chatsOf(system.model).length === 3, 'the third question');
      await killed(first.child);
      await system.worker('w2');
      const ended = await system.untilEnded(shared);
      expect(ended.status).toBe('success');
      const failing = {
        description: 'It Fails now',
        agentic: true,
        verification_steps: [{ type: 'file_exists', target: 'no.txt' }],
      };
      const { task_id: retried } = await client.submit({
        ...failing,
        agent_id: 'w2',
        metadata: { max_iterations: 2 },
      });
      expect(await system.untilEnded(retried)).toMatchObject({ worker_id: 'w2' });
      // The killed worker comes back, and counts the call that was under way by its estimate.
      const again = startWorkerProcess(place, 'w1');
      await again.ready();
      await system.untilEvent(shared, ({ reason }) => reason === 'figures');
      expect(await ofHub()).toEqual(await ofLedgers());
      const { totals } = (await system.api('/api/stats')) as { totals: { tokens_in: number } };
      expect(totals.tokens_in).toBe((await ofLedgers()).tokensIn);
      const attempts = (await client.task(shared)).attempts as { worker_id: string; ending: string }[];
      expect(attempts.map((one) => [one.worker_id, one.ending])).toEqual([
        ['w1', 'worker_lost'],
        ['w2', 'success'],
      ]);
      expect((await client.task(retried)).attempts).toHaveLength(2);
    });
  });
});

const identity = { taskId: 't1', generation: 3 };
const result = {
  status: 'partial',
  termination_reason: 'timeout',
  tokens_in: 700,
  tokens_out: 42,
  verification_history: [],
} as unknown as TaskResult;

describe('what the hub is told at the end of a task', () => {
  test('work that can be used is complete, with the tokens of both directions', () => {
    expect(buildTerminalFrame(identity, result)).toEqual({
      type: 'task_complete',
      task_id: 't1',
      generation: 3,
      result,
      tokens_used: 742,
      verification_report: undefined,
      verification_history: [],
    });
  });

  test('a failure says why, and its result goes along', () => {
    const failed = { ...result, status: 'failed' } as TaskResult;
    const frame = { type: 'task_failed', task_id: 't1', generation: 3, error: 'timeout' };
    expect(buildTerminalFrame(identity, failed)).toEqual({ ...frame, result: failed });
    expect(buildTerminalFrame(identity, { ...failed, error: 'no room' })).toMatchObject({ error: 'no room' });
  });

  test('a long error is cut', () => {
    expect(buildFailedFrame(identity, 'x'.repeat(100_000)).error?.length).toBeLessThan(10_000);
  });
});

describe('approval', () => {
  const dangerous: ScenarioInput = {
    turns: [call('shell', { command: 'true || sudo true' }), say('{{lastToolResult}}')],
  };
  const asking: ScenarioInput = {
    turns: [json({ request_approval: 'Tabs or spaces?' }), say('Told: {{lastMessage}}')],
  };
  type Decision = 'accepted' | 'rejected' | 'corrected';

  /** Runs an agentic task and answers the first thing that it asks; returns the result's output and the kind asked. */
  async function run(
    scenario: ScenarioInput,
    config: ConfigInput,
    answer?: { decision: Decision; text?: string },
  ) {
    system = await startSystem(scenario);
    await system.worker('w1', config);
    const { task_id: id } = await system.client.submit({ description: 'x', agentic: true });
    const asked: string[] = [];
    const statuses: string[] = [];
    const { result } = await system.untilEnded(id, async ({ kind, body }) => {
      if (body.event_type === 'status') statuses.push(String(body.text));
      if (kind === 'approval' && body.status === 'pending') {
        asked.push(`${String(body.kind)}: ${String(body.summary)}`);
        if (answer) await system.answer(id, { approval_id: String(body.approval_id), ...answer });
      }
    });
    return { output: result?.output, asked, statuses };
  }

  describe('a command that the deny list catches', () => {
    const hub: ConfigInput = { approval: { command: 'hub' } };

    test.each(['auto', 'deny'] as const)('is refused without asking anybody under %s', async (command) => {
      const { output, asked } = await run(dangerous, { approval: { command } });
      expect(output).toMatch(/^Refused: .*sudo/u);
      expect(asked).toEqual([]);
    });

    test('runs where a person accepts it', async () => {
      const { output, asked } = await run(dangerous, hub, { decision: 'accepted' });
      expect(asked).toEqual([expect.stringMatching(/^command: Refused: [^]*true \|\| sudo true$/u)]);
      expect(output).toContain('exit code 0');
    });

    test("does not run where a person rejects it, and the model reads the person's words", async () => {
      const { output } = await run(dangerous, hub, { decision: 'rejected', text: 'never on this machine' });
      expect(output).toMatch(/Refused: .*A user answered: never on this machine/u);
    });

    test('is refused when nobody answers in time', async () => {
      const { output, statuses } = await run(dangerous, { approval: { command: 'hub', timeoutMs: 50 } });
      expect(output).toMatch(/^Refused: /u);
      expect(statuses).toContain("Waiting for a user's answer (command)");
      expect(statuses).toContain(
        'No user answered (command) within 0.05 s; the task continues without an answer',
      );
    });
  });

  describe('a question of the model', () => {
    const structured: ConfigInput = { model: { toolMode: 'structured' } };

    test.each([
      ['accepted', undefined, 'Yes.'],
      ['rejected', 'spaces', 'No. spaces'],
      ['corrected', 'Two spaces.', 'Two spaces.'],
    ] as const)('is answered by a person: %s', async (decision, text, told) => {
      const config: ConfigInput = { ...structured, approval: { question: 'hub' } };
      const { output, asked } = await run(asking, config, { decision, ...(text ? { text } : {}) });
      expect(asked).toEqual(['question: Tabs or spaces?']);
      expect(output).toContain(told);
    });
  });
});
