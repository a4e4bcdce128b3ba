/** What tasks have used on a hub is what the ledgers of its workers say, whatever happened to their attempts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readLedger } from '../../sidecar/ledger/export.ts';
import { until } from '../support/until.ts';
import { calls, chatsOf, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { killed, startWorkerProcess, workerPlace } from '../support/worker-process.ts';

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
  const timings = { firstGoMs: 200, retryMinMs: 100, retryMaxMs: 100 };
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
const ofLedgers = (): Sums => sumOf(['w1', 'w2'].flatMap((name) => readLedger(join(system.dir, name)).calls));

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
    expect(await ofHub()).toEqual(ofLedgers());
    const { totals } = (await system.api('/api/stats')) as { totals: { tokens_in: number } };
    expect(totals.tokens_in).toBe(ofLedgers().tokensIn);
    const attempts = (await client.task(shared)).attempts as { worker_id: string; ending: string }[];
    expect(attempts.map((one) => [one.worker_id, one.ending])).toEqual([
      ['w1', 'worker_lost'],
      ['w2', 'success'],
    ]);
    expect((await client.task(retried)).attempts).toHaveLength(2);
  });
});
