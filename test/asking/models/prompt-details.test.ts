import { expect, test } from '@jest/globals';
import { PromptDetails } from '../../../sidecar/asking/models/prompt-details.ts';
import type { ChatMessage } from '../../../sidecar/model/chat.ts';

const system: ChatMessage = { role: 'system', content: 'You work.' };
const user: ChatMessage = { role: 'user', content: 'Fix it.' };
const asked: ChatMessage = {
  role: 'assistant',
  content: '',
  tool_calls: [{ function: { name: 'grep', arguments: { pattern: 'x' } } }],
};
const found: ChatMessage = { role: 'tool', tool_name: 'grep', content: 'a.ts:1' };

test('each call has the messages that are new since the one before', () => {
  const prompts = new PromptDetails();
  const messages = [system, user];
  expect(prompts.next(messages)).toEqual([
    { title: 'Prompt: system', text: 'You work.' },
    { title: 'Prompt: user', text: 'Fix it.' },
  ]);
  messages.push(asked, found);
  expect(prompts.next(messages)).toEqual([
    { title: 'Prompt', text: 'As in the call before up to message 2, then:' },
    { title: 'Prompt: answer of the model', text: 'grep {"pattern":"x"}' },
    { title: 'Prompt: result of grep', text: 'a.ts:1' },
  ]);
});

test('the same prompt again is said to be the same, also where its messages were made anew', () => {
  const prompts = new PromptDetails();
  prompts.next([system, user]);
  expect(prompts.next([{ ...system }, { ...user }])).toEqual([
    { title: 'Prompt', text: 'The same as in the call before.' },
  ]);
});

test('a conversation that was made shorter is shown from where it differs', () => {
  const prompts = new PromptDetails();
  prompts.next([system, user, asked, found]);
  expect(prompts.next([system, { ...user, content: 'In short: fix it.' }])).toEqual([
    { title: 'Prompt', text: 'As in the call before up to message 1, then:' },
    { title: 'Prompt: user', text: 'In short: fix it.' },
  ]);
});
