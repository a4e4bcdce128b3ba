import { describe, expect, test } from '@jest/globals';
import { ServerCircuit } from '../../sidecar/model/server-circuit.ts';
import { ManualClock } from '../support/manual-clock.ts';

const gone = { code: 'model_unreachable', message: 'no Ollama server' };
const oom = { code: 'model_out_of_memory', message: 'too little memory' };
const slow = { code: 'model_timeout', message: 'no answer in time' };

/** A circuit whose server answers probes as `server.isUp` says; `probedAtMs` counts from the beginning. */
function circuitOf(server: { isUp: boolean }) {
  const clock = new ManualClock();
  const probedAtMs: number[] = [];
  const changes: boolean[] = [];
  const circuit: ServerCircuit = new ServerCircuit({
    url: 'http://127.0.0.1:11434',
    clock,
    probe: () => {
      probedAtMs.push(clock.monotonicMs());
      return Promise.resolve(server.isUp ? { ok: true, value: '0.12' } : { ok: false, failure: gone });
    },
    onChange: () => changes.push(circuit.away === undefined),
  });
  return { circuit, clock, probedAtMs, changes };
}

describe('the circuit of a model server', () => {
  const { signal } = new AbortController();

  test('probes after 1 s, then less and less often up to every 30 s, until there is an answer', async () => {
    const server = { isUp: false };
    const { circuit, clock, probedAtMs, changes } = circuitOf(server);
    expect(await circuit.blame(gone)).toBe(true);
    const back = circuit.back(signal);
    await clock.advance(91_000);
    expect(probedAtMs).toEqual([1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
    expect(circuit).toMatchObject({ held: 1, away: { reason: 'no Ollama server' } });
    server.isUp = true;
    await clock.advance(30_000);
    await back;
    expect(circuit).toMatchObject({ held: 0, away: undefined });
    expect(changes).toEqual([false, true]);
    expect(clock.pending).toBe(0);
  });

  test('of a server that answers and cannot run models is closed by an answered call only', async () => {
    const { circuit, clock, changes } = circuitOf({ isUp: true });
    await circuit.blame(oom);
    const first = circuit.back(signal);
    await clock.advance(1_000);
    await first;
    expect(circuit.away).toBeDefined();
    await circuit.blame(oom);
    const second = circuit.back(signal);
    await clock.advance(2_000);
    await second;
    circuit.answered();
    expect(circuit.away).toBeUndefined();
    expect(changes).toEqual([false, true]);
  });

  test('leaves a failure to the call where the server answers a probe', async () => {
    const server = { isUp: true };
    const { circuit } = circuitOf(server);
    expect(await circuit.blame(slow)).toBe(false);
    expect(await circuit.blame({ code: 'model_request_refused', message: 'no' })).toBe(false);
    server.isUp = false;
    expect(await circuit.blame(slow)).toBe(true);
    circuit.stop();
  });

  test('lets a call go whose task is to stop', async () => {
    const { circuit, clock } = circuitOf({ isUp: false });
    await circuit.blame(gone);
    const stopping = new AbortController();
    const back = circuit.back(stopping.signal);
    stopping.abort();
    await back;
    expect(circuit.held).toBe(0);
    circuit.stop();
    expect(clock.pending).toBe(0);
  });
});
