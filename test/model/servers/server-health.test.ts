import { describe, expect, test } from '@jest/globals';
import { ServerHealth } from '../../../sidecar/model/servers/server-health.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const gone = { code: 'model_unreachable', message: 'no Ollama server' };
const oom = { code: 'model_out_of_memory', message: 'too little memory' };
const slow = { code: 'model_timeout', message: 'no answer in time' };

/** The health of a server that answers probes as `server.isUp` says; `probedAtMs` counts from the beginning. */
function healthOf(server: { isUp: boolean }) {
  const clock = new ManualClock();
  const probedAtMs: number[] = [];
  const changes: boolean[] = [];
  const health: ServerHealth = new ServerHealth({
    url: 'http://127.0.0.1:11434',
    clock,
    probe: () => {
      probedAtMs.push(clock.monotonicMs());
      return Promise.resolve(server.isUp ? { ok: true, value: '0.12' } : { ok: false, failure: gone });
    },
    onChange: () => changes.push(health.downReason === undefined),
  });
  return { health, clock, probedAtMs, changes };
}

describe('whether a model server is up', () => {
  const { signal } = new AbortController();

  test('probes after 1 s, then less and less often up to every 30 s, until there is an answer', async () => {
    const server = { isUp: false };
    const { health, clock, probedAtMs, changes } = healthOf(server);
    expect(await health.blame(gone)).toBe(true);
    const back = health.whenUp(signal);
    await clock.advance(91_000);
    expect(probedAtMs).toEqual([1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
    expect(health).toMatchObject({ waiting: 1, downReason: 'no Ollama server' });
    server.isUp = true;
    await clock.advance(30_000);
    await back;
    expect(health).toMatchObject({ waiting: 0, downReason: undefined });
    expect(changes).toEqual([false, true]);
    expect(clock.pending).toBe(0);
  });

  test('a look finds out that nobody is there, and asks a server that is known to be down no more often', async () => {
    const server = { isUp: true };
    const { health, clock, probedAtMs, changes } = healthOf(server);
    await health.look();
    expect(health.downReason).toBeUndefined();
    server.isUp = false;
    await health.look();
    await health.look();
    expect(health.downReason).toBe('no Ollama server');
    await clock.advance(1_000);
    expect(probedAtMs).toEqual([0, 0, 1_000]);
    expect(changes).toEqual([false]);
    health.stop();
    await health.look();
    expect(clock.pending).toBe(0);
  });

  test('a look takes whatever is answered for a server that is there', async () => {
    const health = new ServerHealth({
      url: 'http://127.0.0.1:11434',
      clock: new ManualClock(),
      probe: () => Promise.resolve({ ok: false, failure: { code: 'model_refused', message: 'HTTP 403' } }),
    });
    await health.look();
    expect(health.downReason).toBeUndefined();
  });

  test('a server that answers and cannot run models is up again after an answered call only', async () => {
    const { health, clock, changes } = healthOf({ isUp: true });
    await health.blame(oom);
    const first = health.whenUp(signal);
    await clock.advance(1_000);
    await first;
    expect(health.downReason).toBeDefined();
    await health.blame(oom);
    const second = health.whenUp(signal);
    await clock.advance(2_000);
    await second;
    health.answered();
    expect(health.downReason).toBeUndefined();
    expect(changes).toEqual([false, true]);
  });

  test('leaves a failure to the call where the server answers a probe', async () => {
    const server = { isUp: true };
    const { health } = healthOf(server);
    expect(await health.blame(slow)).toBe(false);
    expect(await health.blame({ code: 'model_request_refused', message: 'no' })).toBe(false);
    server.isUp = false;
    expect(await health.blame(slow)).toBe(true);
    health.stop();
  });

  test('lets a call go whose task is to stop', async () => {
    const { health, clock } = healthOf({ isUp: false });
    await health.blame(gone);
    const stopping = new AbortController();
    const back = health.whenUp(stopping.signal);
    stopping.abort();
    await back;
    expect(health.waiting).toBe(0);
    health.stop();
    expect(clock.pending).toBe(0);
  });
});
