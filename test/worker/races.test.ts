/** Real workers in a race on the embedded hub: who wins, what becomes of the others, what a kill or a restart changes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHubClient, type HubClient } from '../../sidecar/hub-client/hub-client.ts';
import { startHub } from '../../sidecar/hub/hub.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { call, chatsOf, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { killed, readyWorker } from '../support/worker-process.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());
const folder = tempFolders();

const write = call('write_file', { path: 'a.txt', content: 'good\n' });
/** `quick` waits for a sign of the test before it begins; `slow` calls a tool, then never answers again. */
const runners: ScenarioInput = {
  models: [{ name: 'quick' }, { name: 'slow' }],
  scripts: [
    {
      name: 'quick',
      when: { model: 'quick' },
      turns: [{ ...write, faults: [{ kind: 'hold' }] }, say('Written.')],
    },
    {
      name: 'slow',
      when: { model: 'slow' },
      turns: [
        { ...call('glob', { pattern: '*' }), tokensIn: 70, tokensOut: 7 },
        { ...say('Late.'), faults: [{ kind: 'silent', times: 'always' }] },
      ],
    },
  ],
};
const task = {
  description: 'Write good into a.txt',
  agentic: true,
  race: 2,
  verification_steps: [{ type: 'command_succeeds', target: 'grep good a.txt' }],
};
const using = (model: string) => ({ model: { default: model } });

/** The second question to `slow`, on which it hangs. */
const slowHangs = () =>
  system.model.waitForRequest(({ body }) => {
    const { model, messages } = (body ?? {}) as { model?: string; messages?: unknown[] };
    return model === 'slow' && (messages?.length ?? 0) > 2;
  }, 30_000);

const endingsOf = async (client: HubClient, id: string): Promise<string[]> =>
  (await membersOf(client, id)).map(({ status }) => String(status)).sort();

const membersOf = async (client: HubClient, id: string): Promise<Record<string, unknown>[]> =>
  (await client.task(id)).members as Record<string, unknown>[];

async function events(id: string): Promise<{ at: number; body: Record<string, unknown> }[]> {
  const page = (await system.api(`/api/tasks/${id}/events`)) as { events: never[] };
  return page.events;
}

describe('a race of two workers', () => {
  test('ends with the first verified result; the other is cut off soon after and its costs count', async () => {
    system = await startSystem(runners);
    await system.worker('w-slow', using('slow'));
    await system.worker('w-quick', using('quick'));
    const { task_id: id } = await system.client.submit(task);
    const hanging = await slowHangs();
    system.model.release();
    await system.untilEvent(id, ({ reason }) => reason === 'figures');
    const ended = await system.client.task(id);
    const members = await membersOf(system.client, id);
    const [loser, winner] = ['w-slow', 'w-quick'].map((name) =>
      members.find((one) => one.worker_id === name),
    );

    expect(ended).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      worker_id: 'w-quick',
      race_winner: winner?.task_id,
    });
    expect(loser).toMatchObject({ status: 'cancelled', tokens_in: 70, tokens_out: 7 });
    expect(ended.tokens_in).toBe(70 + Number(winner?.tokens_in));
    expect(ended.tokens_out).toBe(7 + Number(winner?.tokens_out));

    const completed = (await events(id)).find(({ body }) => body.reason === 'completed');
    expect(hanging.closedEarly).toBe(true);
    expect((hanging.endedAtMs ?? Infinity) - (completed?.at ?? 0)).toBeLessThan(10_000);
  });

  test('has one result, however close two finish', async () => {
    system = await startSystem(runners);
    await system.worker('w1', using('quick'));
    await system.worker('w2', using('quick'));
    const { task_id: id } = await system.client.submit(task);
    for (const member of [1, 2]) {
      await system.untilEvent(id, ({ text }) => String(text).includes(`Member ${member} of 2`));
    }
    system.model.release();
    const { race_winner: winner } = await system.untilEnded(id);
    expect([`${id}-r1`, `${id}-r2`]).toContain(winner);
    expect(await endingsOf(system.client, id)).toEqual(['cancelled', 'success']);
    const completed = (await events(id)).filter(({ body }) => body.reason === 'completed');
    expect(completed).toHaveLength(1);
  });

  test('draws other answers on each worker', async () => {
    system = await startSystem({ turns: [write, { ...say('Written.'), repeat: 'always' }] });
    await system.worker('w1');
    await system.worker('w2');
    const { task_id: id } = await system.client.submit({
      ...task,
      verification_steps: [{ type: 'command_succeeds', target: 'false' }],
    });
    expect((await system.untilEnded(id)).status).toBe('partial');
    const drawn = chatsOf(system.model).map(({ options }) => {
      const { seed, temperature } = options as { seed?: number; temperature?: number };
      return JSON.stringify([seed, temperature]);
    });
    expect([...new Set(drawn)].sort()).toEqual([
      JSON.stringify([60_000_000, 0.6]),
      JSON.stringify([null, 0.2]),
    ]);
  });

  (existsSync('dist/cli.js') ? test : test.skip)(
    'goes on without a worker that is killed in the middle, which uses up no attempt',
    async () => {
      system = await startSystem(runners);
      const victim = await readyWorker(system, 'w-slow', using('slow'));
      await system.worker('w-quick', using('quick'));
      const { task_id: id } = await system.client.submit({ ...task, max_attempts: 1 });
      await slowHangs();
      await killed(victim.child);
      await system.untilEvent(id, ({ text }) => String(text).includes('lost its worker'));
      system.model.release();
      expect(await system.untilEnded(id)).toMatchObject({
        status: 'success',
        worker_id: 'w-quick',
        attempts: 0,
      });
      expect(await endingsOf(system.client, id)).toEqual(['cancelled', 'success']);
    },
    60_000,
  );

  test('survives a restart of the hub: the same workers go on, one result counts', async () => {
    const database = join(folder(), 'hub.db');
    system = await startSystem(runners, { database, adminToken: 'admin' });
    await system.worker('w-slow', using('slow'));
    await system.worker('w-quick', using('quick'));
    const { task_id: id } = await system.client.submit(task);
    await slowHangs();
    const { port } = system.hub;
    await system.hub.close();

    const hub = await startHub({ database, adminToken: 'admin', port, maxAttempts: 1 });
    system.cleanup.add(() => hub.close());
    const client = createHubClient({ url: hub.url, token: 'admin' });
    system.model.release();
    expect(await system.untilEnded(id)).toMatchObject({ status: 'success', worker_id: 'w-quick' });
    expect(await endingsOf(client, id)).toEqual(['cancelled', 'success']);
    const completed = (await events(id)).filter(({ body }) => body.reason === 'completed');
    expect(completed).toHaveLength(1);
  }, 60_000);
});
