import { expect, test } from '@jest/globals';
import { callEvents } from '../../../sidecar/asking/models/call-events.ts';
import type { ChatReply } from '../../../sidecar/model/chat.ts';
import type { CallListener } from '../../../sidecar/model/model-session.ts';
import type { ExecutionEvent } from '../../../sidecar/protocol/events.ts';

const reply: ChatReply = {
  message: { role: 'assistant', content: 'Done.' },
  doneReason: 'stop',
  tokensIn: 1000,
  tokensCached: 900,
  tokensOut: 50,
  totalNs: 2.2e9,
  loadNs: 0.2e9,
  promptEvalNs: 0.5e9,
  evalNs: 1.2e9,
};

function told(
  kind: 'load' | 'answer',
  end: Parameters<CallListener['ended']>,
  { wrote = [] }: { wrote?: string[] } = {},
) {
  const events: ExecutionEvent[] = [];
  const tell = callEvents(
    (event) => events.push(event),
    'qwen',
    () => 'model-1',
  );
  const call = tell(kind);
  for (const text of wrote) call.wrote(text);
  call.ended(...end);
  return events;
}

test('a call of the model is told at its beginning and at its end, with parts that add up to its time', () => {
  const [started, finished] = told('answer', [{ ok: true, value: reply }, 2_500.4]);
  expect(started).toEqual({
    event_type: 'status',
    model: 'qwen',
    text: 'Asking qwen',
    model_call: { id: 'model-1', phase: 'started', kind: 'answer' },
  });
  expect(finished).toEqual({
    event_type: 'status',
    model: 'qwen',
    text: 'qwen read 1000 tokens and wrote 50 in 2.5 s',
    success: true,
    duration_ms: 2500,
    model_call: {
      id: 'model-1',
      phase: 'finished',
      kind: 'answer',
      wait_ms: 600,
      load_ms: 200,
      read_ms: 500,
      write_ms: 1200,
      tokens_in: 1000,
      tokens_out: 50,
      tokens_cached: 900,
    },
  });
});

test('what is written is told with the call that it belongs to, and nothing is not told', () => {
  const [, ...pieces] = told('answer', [{ ok: true, value: reply }, 2_500], { wrote: ['Do', '', 'ne.'] });
  expect(pieces.slice(0, -1)).toEqual(
    ['Do', 'ne.'].map((text) => ({
      event_type: 'token',
      model: 'qwen',
      text,
      model_call: { id: 'model-1', phase: 'writing', kind: 'answer' },
    })),
  );
});

test('a server that claims more time than went by does not make a call longer', () => {
  const [, finished] = told('answer', [{ ok: true, value: reply }, 1_000]);
  expect(finished?.model_call).toMatchObject({ wait_ms: 0, load_ms: 0, read_ms: 0, write_ms: 1000 });
});

test('a call without an answer says why, and guesses no parts', () => {
  const failure = { code: 'model_timeout', message: 'no answer', retryable: true };
  const [, finished] = told('load', [{ ok: false, failure }, 3_000]);
  expect(finished).toMatchObject({
    text: 'qwen gave no answer after 3.0 s: model_timeout',
    success: false,
    duration_ms: 3000,
    model_call: { id: 'model-1', phase: 'finished', kind: 'load' },
  });
});

test('what was read in too short a time was cached, where the server does not say it', () => {
  const { tokensCached: _, ...silent } = reply;
  const cachedOf = (readTokens: number) =>
    told('answer', [{ ok: true, value: { ...silent, readTokens } }, 2_500]).at(-1)?.model_call?.tokens_cached;
  expect(cachedOf(30)).toBe(970);
  expect(cachedOf(1000)).toBeUndefined();
});
