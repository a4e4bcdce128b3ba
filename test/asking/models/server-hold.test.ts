import { expect, test } from '@jest/globals';
import { configSchema } from '../../../sidecar/config/schema.ts';
import { holdFor } from '../../../sidecar/asking/models/server-hold.ts';
import { TaskControl } from '../../../sidecar/task/task-control.ts';
import { silentLogger } from '../../../sidecar/observability/silent-logger.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const failure = { code: 'model_unreachable', message: 'no answer' };

test('calls that wait for a server at the same time wait once: it is told once, and costs the time once', async () => {
  const clock = new ManualClock();
  const told: string[] = [];
  const waiting: (() => void)[] = [];
  let downReason: string | undefined;
  const server: Parameters<typeof holdFor>[1] = {
    get downReason() {
      return downReason;
    },
    hasOther: false,
    blame: () => Promise.resolve(true),
    answered: () => undefined,
    whenUp: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
  const config = configSchema.parse({ limits: { holdTimeoutMs: 100_000 } });
  const emit = ({ text }: { text: string }) => told.push(text);
  const workspace = { base: { changedPaths: () => Promise.resolve({ ok: true as const, value: [] }) } };
  const run = { control: new TaskControl(), clock, config, emit, logger: silentLogger, workspace };
  const hold = holdFor(run, server);
  for (let outage = 1; outage <= 2; outage += 1) {
    told.splice(0);
    downReason = 'no answer';
    const calls = [1, 2, 3].map(() => hold.outlast(failure, true));
    await clock.advance(40_000);
    downReason = undefined;
    for (const goOn of waiting.splice(0)) goOn();
    expect(await Promise.all(calls)).toEqual([true, true, true]);
    expect(told).toEqual([
      'On hold: waiting for the model server (no answer)',
      'The model server answers again after 40 s: going on',
    ]);
  }
});
