import { describe, expect, test } from '@jest/globals';
import { ProgressEmitter } from '../../sidecar/executors/progress-emitter.ts';
import type { ExecutionEvent } from '../../sidecar/protocol/events.ts';
import { ManualClock } from '../support/manual-clock.ts';

function emitter() {
  const clock = new ManualClock();
  const events: ExecutionEvent[] = [];
  return { clock, events, progress: new ProgressEmitter({ onProgress: (e) => events.push(e), clock }) };
}
const token = (text: string, tokens = 1): ExecutionEvent => ({
  event_type: 'token',
  text,
  tokens_so_far: tokens,
});

describe('progress', () => {
  test('token text is joined in windows of 100 ms', async () => {
    const { clock, events, progress } = emitter();
    progress.emit(token('Hel', 1));
    progress.emit(token('lo', 2));
    await clock.advance(99);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toMatchObject([{ text: 'Hello', tokens_so_far: 2, seq: 1 }]);
  });

  test('what two calls of the model write is joined apart, in windows of 500 ms', async () => {
    const { clock, events, progress } = emitter();
    const piece = (id: string, text: string): ExecutionEvent => ({
      ...token(text),
      model_call: { id, kind: 'answer', phase: 'writing' },
    });
    for (const [id, text] of [
      ['one', 'He'],
      ['two', 'Bo'],
      ['one', 'llo'],
      ['two', 'njour'],
    ] as const)
      progress.emit(piece(id, text));
    await clock.advance(499);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toMatchObject([
      { text: 'Hello', model_call: { id: 'one' }, seq: 1 },
      { text: 'Bonjour', model_call: { id: 'two' }, seq: 2 },
    ]);
  });

  test('another event goes at once, after the tokens that came before it', () => {
    const { events, progress } = emitter();
    progress.emit(token('a'));
    progress.emit({ event_type: 'status', text: 'b' });
    expect(events.map(({ text, seq }) => [text, seq])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  test('a listener that throws does not reach the work', () => {
    const progress = new ProgressEmitter({
      onProgress: () => {
        throw new Error('listener');
      },
    });
    expect(() => progress.emit({ event_type: 'status', text: 'x' })).not.toThrow();
  });

  test('a resumed task goes on counting', () => {
    const events: ExecutionEvent[] = [];
    new ProgressEmitter({ onProgress: (e) => events.push(e), lastSeq: 7 }).emit({
      event_type: 'status',
      text: 'x',
    });
    expect(events[0]?.seq).toBe(8);
  });
});
