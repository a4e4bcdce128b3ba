import { afterEach, describe, expect, test } from '@jest/globals';
import type { ChatMessage } from '../../../sidecar/model/chat.ts';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import type { TaskInput } from '../../../sidecar/base/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { deathsOf, DyingJournal, type Death } from '../../support/dying-journal.ts';
import { echo, liveIn, newPlace, type Place, type ScenarioWithLog } from '../../support/lives.ts';
import { call, calls, say, scenario } from '../../support/scripted-model.ts';
import { cleanUp } from '../../workspace/repositories.ts';

afterEach(cleanUp);

const INTERRUPTED = 'interrupted, outcome unknown';

/** A life of a task; the journal is what its disk holds at the end. */
interface Life {
  messages: ChatMessage[];
  result?: TaskResult;
  requests: string[];
  effects: string[];
  journal: DyingJournal;
}

interface Story {
  scenario: ScenarioWithLog;
  task?: Partial<TaskInput>;
}

async function liveOnce({ scenario, task }: Story, place: Place, journal: DyingJournal): Promise<Life> {
  const { chats, ...life } = await liveIn(place, scenario, journal, { task });
  const conversations = chats.map(({ messages }) => comparable(messages));
  return {
    ...life,
    messages: conversations.at(-1) ?? [],
    requests: conversations.map((messages) => JSON.stringify(messages)),
    journal,
  };
}

const OF_THE_MOMENT = new Set(['execution_ms', 'duration_ms', 'started_at', 'base_commit', 'head_commit']);

/** Without what differs from run to run by nature: folders, durations, commits. */
function comparable<T>(value: T): T {
  const text = JSON.stringify(value, (key, inner: unknown) => (OF_THE_MOMENT.has(key) ? undefined : inner));
  return JSON.parse(text.replaceAll(/sidecar-workspace-\w+/gu, 'DIR').replaceAll(/\d+ ms/gu, 'N ms')) as T;
}

/** Every death that a run can meet, each followed by a second life. */
async function everyDeath(
  story: Story,
  check: (second: Life, whole: Life, death: Death, first: Life) => void,
): Promise<void> {
  const whole = await liveOnce(story, newPlace(), new DyingJournal());
  expect(whole.result).toBeDefined();
  for (const death of deathsOf(whole.journal)) {
    const place = newPlace();
    const first = await liveOnce(story, place, new DyingJournal(death));
    expect(first.result).toBeUndefined();
    const second = await liveOnce(story, place, new DyingJournal(undefined, first.journal));
    check(second, whole, death, first);
  }
}

/** The conversation up to a call whose outcome nobody knows; all of it where there is none. */
function untilInterrupted(messages: ChatMessage[]): ChatMessage[] {
  const at = messages.findIndex(({ content }) => content.includes(INTERRUPTED));
  return at < 0 ? messages : messages.slice(0, at);
}

/** Counts that are the same in every life, so that whole results can be compared. */
const steps = (turns: object[]): ScenarioInput =>
  scenario(turns.map((turn, index) => ({ tokensIn: 1000 + 100 * index, tokensOut: 10, ...turn })));

describe('a task whose worker died at any append of its journal', () => {
  test('goes on where it was: same conversation, same result, no effect twice', async () => {
    const story: Story = {
      scenario: (log) =>
        steps([
          calls(['list_directory', {}], ['glob', { pattern: '*' }]),
          calls(echo(log, 'a'), ['glob', { pattern: '*.md' }], echo(log, 'b')),
          say('{"tool_calls": [{"name": "glob", "parameters": {}}], "response": "both"}'),
          call('write_file', { file_path: 'out.txt', content: 'x' }),
          say('Done.'),
          calls(echo(log, 'c'), ['write_file', { file_path: 'second.txt', content: 'y' }]),
          say('Now it is complete.'),
        ]),
      task: { verification_steps: [{ type: 'file_exists', target: 'second.txt' }] },
    };
    await everyDeath(story, (second, whole, death, first) => {
      const where = JSON.stringify(death);
      expect([where, new Set(second.effects).size]).toEqual([where, second.effects.length]);
      // Where the first life had heard the last answer already, the second one asks nothing.
      const { messages } = second.messages.length > 0 ? second : first;
      const known = untilInterrupted(messages);
      expect([where, known]).toEqual([where, whole.messages.slice(0, known.length)]);
      if (known.length < messages.length) return;
      expect([where, messages]).toEqual([where, whole.messages]);
      expect([where, comparable(second.result)]).toEqual([where, comparable(whole.result)]);
      const repeated = second.requests.filter((request) => first.requests.includes(request));
      expect(repeated.length).toBeLessThanOrEqual(1);
    });
  });
});
