import { describe, expect, test } from '@jest/globals';
import { RequestDeltas, parseRequests } from '../../sidecar/session/request-log.ts';
import type { RecordedRequest } from '../../sidecar/session/request-log.ts';
import type { ChatMessage, ChatOutcome } from '../../sidecar/model/chat.ts';

const message = (content: string): ChatMessage => ({ role: 'user', content });
const tools = [{ type: 'function' as const, function: { name: 'x', description: 'y', parameters: {} } }];
const answer: ChatOutcome = {
  ok: true,
  value: {
    message: { role: 'assistant', content: 'ok' },
    doneReason: 'stop',
    tokensIn: 1,
    tokensOut: 2,
    totalNs: 3,
    loadNs: 0,
    promptEvalNs: 0,
    evalNs: 0,
  },
};

const requests: RecordedRequest[] = [
  { model: 'm', messages: [message('a'), message('b')], tools, options: { num_ctx: 8_192 }, think: false },
  {
    model: 'm',
    messages: [message('a'), message('b'), message('c')],
    tools,
    options: { num_ctx: 8_192 },
    think: false,
  },
  // A compaction changes the second message; structured mode sends a format instead of tools.
  {
    model: 'm',
    messages: [message('a'), message('B'), message('c')],
    format: {},
    options: { num_ctx: 8_192 },
    purpose: 'summary',
  },
  { model: 'n', messages: [] },
];
const write = (deltas: RequestDeltas, list: RecordedRequest[]) =>
  list.flatMap((request) => {
    const { number, line } = deltas.request(request, 1_000);
    return [line, deltas.answer(number, answer)];
  });
const asFile = (lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

describe('the log of requests', () => {
  test('keeps what each request adds to the one before', () => {
    const [, , second, , third] = write(new RequestDeltas(), requests);
    expect(second).toEqual({
      type: 'request',
      number: 2,
      at: '1970-01-01T00:00:01.000Z',
      model: 'm',
      from: 2,
      messages: [message('c')],
    });
    expect(third).toMatchObject({ from: 1, rest: { tools: null, format: {} } });
  });

  test('reads back whole, with the answers', () => {
    const read = parseRequests(asFile(write(new RequestDeltas(), requests)));
    expect(read.map(({ request }) => request)).toEqual(requests);
    expect(read.map(({ number, outcome }) => [number, outcome])).toEqual(
      [1, 2, 3, 4].map((n) => [n, answer]),
    );
  });

  test('is gone on with after a kill, a half line and an answer that never came', () => {
    const first = asFile(write(new RequestDeltas(), requests.slice(0, 3)).slice(0, 5));
    const text = `${first}{"type":"requ\n${asFile(write(new RequestDeltas(3), requests.slice(0, 2)))}`;
    const read = parseRequests(text);
    expect(read.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(read[2]?.outcome).toBeUndefined();
    expect(read.slice(3).map(({ request }) => request)).toEqual(requests.slice(0, 2));
  });
});
