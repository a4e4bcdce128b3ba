import { describe, expect, test } from '@jest/globals';
import type { ChatMessage, ChatOutcome } from '../../../sidecar/model/chat.ts';
import {
  buildContinuationRequest,
  buildResultMessages,
} from '../../../sidecar/solving/prompt/loop-messages.ts';
import {
  chatTypes,
  formatEntry,
  formatToolCall,
  parseChatLog,
} from '../../../sidecar/solving/session/chat-log.ts';
import { isUserMessage, selectRecentMessages } from '../../../sidecar/solving/session/recent-messages.ts';
import {
  parseRequests,
  RequestDeltas,
  type RecordedRequest,
} from '../../../sidecar/solving/session/request-log.ts';
import * as fc from '../../support/properties.ts';
import { scaled } from '../../support/scale.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const agent = (content: string): ChatMessage => ({ role: 'assistant', content });
const call = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, function: { name: 'read_file', arguments: {} } })),
});
const result = (id: string): ChatMessage => ({
  role: 'tool',
  content: id,
  tool_name: 'read_file',
  tool_call_id: id,
});

describe('recent messages', () => {
  test('gives the last user messages with all that followed them', () => {
    const messages = [user('1'), agent('a'), user('2'), agent('b'), user('3'), agent('c')];
    expect(selectRecentMessages(messages, 2)).toEqual(messages.slice(2));
    expect(selectRecentMessages(messages, 5)).toEqual(messages);
    expect(selectRecentMessages(messages, 1)).toEqual(messages.slice(4));
  });

  test('never counts results of tools, with whichever role, nor the reminders of the program', () => {
    const messages = [
      user('do it'),
      call('x'),
      result('x'),
      agent('{"tool_calls":[]}'),
      ...buildResultMessages([{ toolName: 'shell', output: 'ok', isError: false }], 'structured'),
      { role: 'user' as const, content: 'ok', tool_name: 'shell' },
      buildContinuationRequest(),
      agent('done'),
    ];
    expect(selectRecentMessages(messages, 1)).toEqual(messages);
  });

  test('does not cut between a call and its result when a person spoke in between', () => {
    const messages = [user('1'), agent('a'), call('x', 'y'), result('x'), user('2'), result('y'), agent('b')];
    expect(selectRecentMessages(messages, 1)).toEqual(messages.slice(2));
  });

  test('leaves system messages out', () => {
    const messages: ChatMessage[] = [{ role: 'system', content: 's' }, user('1')];
    expect(selectRecentMessages(messages, 3)).toEqual([user('1')]);
  });

  test('never cuts a call from its result and never gives less than was asked for', () => {
    const piece = fc.constantFrom('user', 'answer', 'call', 'result', 'nudge', 'system');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (pieces, size) => {
        const messages = conversation(pieces);
        const recent = selectRecentMessages(messages, size);
        const spoken = messages.filter(({ role }) => role !== 'system');
        expect(recent).toEqual(spoken.slice(spoken.length - recent.length));
        const calls = new Set(recent.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []));
        for (const { tool_call_id: id } of recent) if (id !== undefined) expect(calls).toContain(id);
        const counted = (list: readonly ChatMessage[]) => list.filter(isUserMessage).length;
        expect(counted(recent)).toBeGreaterThanOrEqual(Math.min(size, counted(messages)));
      }),
      { numRuns: scaled({ quick: 500, full: 5_000 }) },
    );
  });
});

/** Results only for calls that wait for one, as a loop would append them. */
function conversation(pieces: readonly string[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const waiting: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece === 'user') messages.push(user(`${index}`));
    if (piece === 'answer') messages.push(agent(`${index}`));
    if (piece === 'nudge') messages.push(buildContinuationRequest());
    if (piece === 'system') messages.push({ role: 'system', content: `${index}` });
    if (piece === 'call') {
      waiting.push(`${index}`);
      messages.push(call(`${index}`));
    }
    const id = piece === 'result' ? waiting.shift() : undefined;
    if (id !== undefined) messages.push(result(id));
  }
  return messages;
}

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.oneof(fc.constantFrom('\n', '\r\n', '  ', '[2026-01-07T10:23:21.000Z] USER: x', ': '), fc.string()),
    )
    .map((parts) => parts.join('')),
);
const anyEntry = fc.record({
  atMs: fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') }),
  type: fc.constantFrom(...chatTypes),
  text: anyText,
});

describe('the chat history', () => {
  test('is one line an entry, further lines of a text indented', () => {
    const atMs = Date.parse('2026-01-07T10:23:21.000Z');
    expect(
      formatEntry({ atMs, type: 'USER', text: 'Fix it.\n\nSoon.' }) +
        formatEntry({ atMs, type: 'TOOL_CALL', text: formatToolCall('read_file', { file_path: 'a' }) }),
    ).toBe(
      '[2026-01-07T10:23:21.000Z] USER: Fix it.\n  \n  Soon.\n[2026-01-07T10:23:21.000Z] TOOL_CALL: read_file({"file_path":"a"})\n',
    );
  });

  test('reads back as it was written, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), (entries) => {
        const read = parseChatLog(entries.map(formatEntry).join(''));
        expect(read).toEqual(entries.map((entry) => ({ ...entry })));
      }),
      { numRuns: scaled({ quick: 500, full: 5_000 }) },
    );
  });

  test('gives what it has when it was cut off', () => {
    expect(parseChatLog('[2026-01-07T10:23:21.000Z] AGENT: half a sen')).toEqual([
      { atMs: Date.parse('2026-01-07T10:23:21.000Z'), type: 'AGENT', text: 'half a sen' },
    ]);
    expect(parseChatLog('garbage\n')).toEqual([]);
  });
});

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
    const { number, line } = deltas.toLine(request, 1_000);
    return [line, { type: 'answer', number, outcome: answer }];
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
