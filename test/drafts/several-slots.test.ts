/** Drafts that are drawn while another is drawn or checked. */
import { describe, expect, test } from '@jest/globals';
import { answer, CHECK, draftRuns, right } from './draft-runs.ts';

const { run } = draftRuns();

describe('a server with more than one slot', () => {
  const slow = (turn: ReturnType<typeof answer>, delayMs: number) => ({
    ...turn,
    delayMs,
    tokensOut: delayMs / 25,
  });
  const config = {
    solving: { strategy: 'auto' as const, drafts: 3, repairs: 0 },
    brief: { seconds: 15 },
    ollama: { slots: 3 },
  };

  test('is asked for several drafts at once, and those that nobody needs any more are cut off', async () => {
    const { result, rows, chats } = await run(
      [answer('return 0;'), slow(answer('return 1;'), 30_000), slow(right, 200)],
      undefined,
      { config },
    );
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
    expect(chats).toHaveLength(3);
    expect(rows.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Draft 1: .*0 of 1 checks pass/u),
      expect.stringMatching(/^Draft 3: .*the check passes/u),
      'Draft 2: no change; not tried: it is no longer needed',
    ]);
  });

  test('a call that fails beside one that passes does not matter', async () => {
    const { result } = await run([answer('return 0;'), slow(right, 400)], undefined, { config });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
  });
});

test('while slow checks run the next draft is asked for', async () => {
  const slow = { type: 'command_succeeds' as const, target: `sleep 2.2; ${CHECK}` };
  const { result, rows, chats } = await run([answer('return 0;'), right, answer('return 2;')], undefined, {
    task: { verification_steps: [slow] },
  });
  expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
  expect(chats).toHaveLength(3);
  expect(rows[2]).toMatchObject({
    text: 'Draft 3: no change; not tried: it is no longer needed',
    draft: { not_needed: true },
  });
});
