/** A scripted server whose calls cost what they would on a card; time is the test's. */
import { describe, expect, test } from '@jest/globals';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import { startScriptedModel, type ScriptedModelServer } from '../../sidecar/scripted-model/server.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { quiet } from '../support/until.ts';

const PROMPT = 'x'.repeat(4_000);

async function open(card: { slots?: number; loadedModels?: number }) {
  const clock = new ManualClock();
  const server = await startScriptedModel({
    clock,
    scenario: {
      models: [
        { name: 'a', loadMs: 8_000 },
        { name: 'b', loadMs: 8_000 },
      ],
      card,
      speed: { promptTokensPerSecond: 1_000, tokensPerSecond: 50 },
      turns: [{ reply: { content: 'y'.repeat(400) }, tokensIn: 1_000, tokensOut: 100, repeat: 'always' }],
    },
  });
  const client = createOllamaServer({ baseUrl: server.url });
  const ask = (model: string, text: string, signal?: AbortSignal) =>
    client.chat(
      { model, messages: [{ role: 'user', content: text + PROMPT }], stream: false },
      signal ? { signal } : {},
    );
  return { clock, server, ask };
}

/** Lets time pass in steps, so that what one call sets off has arrived before the next step. */
async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await quiet();
    await clock.advance(1_000);
  }
  await quiet();
}

const callsOf = ({ works }: ScriptedModelServer) => works.filter(({ isLoad }) => !isLoad);
const tookMs = (server: ScriptedModelServer) =>
  callsOf(server).map(({ startedMs, endedMs }) => endedMs - startedMs);

describe('a card', () => {
  test('takes the time of reading and writing, and reads once what its slot knows', async () => {
    const { clock, server, ask } = await open({});
    const answers = [ask('a', '')];
    await pass(clock, 12);
    answers.push(ask('a', ''));
    await pass(clock, 12);
    const [first, second] = await Promise.all(answers);
    expect(first).toMatchObject({ ok: true, value: { loadNs: 8e9, promptEvalNs: 1e9, evalNs: 2e9 } });
    expect(second).toMatchObject({ ok: true, value: { tokensIn: 1_000, promptEvalNs: 1e6 } });
    expect(tookMs(server)).toEqual([3_000, 2_001]);
    await server.close();
  });

  test('has so many slots; what comes later waits, and finds what its slot has read', async () => {
    const { clock, server, ask } = await open({ slots: 2 });
    const answers = ['1', '2', '1', '3'].map((text) => ask('a', text));
    await pass(clock, 16);
    await Promise.all(answers);
    expect(
      callsOf(server)
        .map(({ startedMs }) => startedMs)
        .toSorted((x, y) => x - y),
    ).toEqual([8_000, 8_000, 11_000, 11_000]);
    // One of the two that came later found what it had read before.
    expect(
      callsOf(server)
        .map(({ readTokens }) => readTokens)
        .toSorted((x, y) => x - y)[0],
    ).toBe(1);
    await server.close();
  });

  test('another model waits for the end of calls, and goes before what came later', async () => {
    const { clock, server, ask } = await open({ slots: 2 });
    const answers = [ask('a', '1')];
    await pass(clock, 9);
    answers.push(ask('b', '2'));
    await quiet(40);
    answers.push(ask('a', '3'));
    await pass(clock, 30);
    await Promise.all(answers);
    expect(server.works.map(({ model, isLoad }) => (isLoad ? `load ${model}` : model))).toEqual([
      'load a',
      'a',
      'load b',
      'b',
      'load a',
      'a',
    ]);
    await server.close();
  });

  test('a call that is given up leaves its slot', async () => {
    const { clock, server, ask } = await open({});
    const cancel = new AbortController();
    const given = ask('a', '1', cancel.signal);
    await pass(clock, 9);
    const next = ask('a', '2');
    await quiet();
    cancel.abort();
    expect(await given).toMatchObject({ ok: false, failure: { code: 'aborted' } });
    await pass(clock, 4);
    expect(await next).toMatchObject({ ok: true });
    await server.close();
  });
});
