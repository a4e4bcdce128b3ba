import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { nudgeMessage, resultMessages } from '../../sidecar/prompt/loop-messages.ts';
import { MessageHistory, isUserMessage } from '../../sidecar/session/message-history.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import { scaled } from '../support/scale.ts';

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
const historyOf = (size: number, messages: ChatMessage[]) => {
  const history = new MessageHistory({ size });
  history.add(...messages);
  return history;
};

describe('the message history', () => {
  test('gives the last user messages with all that followed them', () => {
    const messages = [user('1'), agent('a'), user('2'), agent('b'), user('3'), agent('c')];
    expect(historyOf(2, messages).recent()).toEqual(messages.slice(2));
    expect(historyOf(5, messages).recent()).toEqual(messages);
    expect(historyOf(5, messages).recent(1)).toEqual(messages.slice(4));
  });

  test('goes back five user messages by default and takes a plain number too', () => {
    const messages = Array.from({ length: 8 }, (_, index) => user(`${index}`));
    const history = new MessageHistory();
    history.add(...messages);
    expect(history.recent()).toEqual(messages.slice(3));
    const small = new MessageHistory(2);
    small.add(...messages);
    expect(small.recent()).toEqual(messages.slice(6));
  });

  test('never counts results of tools, with whichever role, nor the reminders of the program', () => {
    const messages = [
      user('do it'),
      call('x'),
      result('x'),
      agent('{"tool_calls":[]}'),
      ...resultMessages([{ toolName: 'shell', output: 'ok', isError: false }], 'structured'),
      { role: 'user' as const, content: 'ok', tool_name: 'shell' },
      nudgeMessage(),
      agent('done'),
    ];
    expect(historyOf(1, messages).recent()).toEqual(messages);
  });

  test('does not cut between a call and its result when a person spoke in between', () => {
    const messages = [user('1'), agent('a'), call('x', 'y'), result('x'), user('2'), result('y'), agent('b')];
    expect(historyOf(1, messages).recent()).toEqual(messages.slice(2));
  });

  test('leaves system messages out', () => {
    const messages: ChatMessage[] = [{ role: 'system', content: 's' }, user('1')];
    expect(historyOf(3, messages).recent()).toEqual([user('1')]);
    expect(historyOf(3, messages).all).toEqual(messages);
  });

  test('never cuts a call from its result and never gives less than was asked for', () => {
    const piece = fc.constantFrom('user', 'answer', 'call', 'result', 'nudge', 'system');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (pieces, size) => {
        const messages = conversation(pieces);
        const recent = historyOf(size, messages).recent();
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
    if (piece === 'nudge') messages.push(nudgeMessage());
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
