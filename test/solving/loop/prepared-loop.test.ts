/** A loop that another stage has prepared: it knows the files that are shown and what the checks said at first. */
import { describe, expect, test } from '@jest/globals';
import { deathsOf, DyingJournal } from '../../support/dying-journal.ts';
import { call, say, type ChatBody } from '../../support/scripted-model.ts';
import { baseOf, before, begin, code, edit, live, newPlace } from './prepared.ts';

describe('checks that are quick', () => {
  test('run after a round with a change, and the newest result says what they found', async () => {
    const { told, result } = await live({
      turns: [
        call('read_file', { file_path: 'calc.py' }),
        edit('a - b', 'a * b'),
        edit('a * b', 'a / b'),
        edit('a / b', 'a + b'),
        say('Done.'),
      ],
    });
    expect(told[1]).not.toContain('Checks:');
    expect(told[2]).toMatch(
      /^Edited calc\.py\n[\s\S]*\n\nChecks: 0 of 1 pass\.\nFailing: file_contains calc\.py::a \+ b\n {4}\S/,
    );
    expect(told[3]).toMatch(/\n\nChecks: 0 of 1 pass, as before, and the same checks fail\.$/);
    expect(told[4]).toMatch(/\n\nChecks: 1 of 1 pass\. If the task is done, answer without a call\.$/);
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 5 });
  });

  test('are those that took under five seconds on the base', async () => {
    const { told } = await live({
      turns: [edit('a - b', 'a + b'), say('Done.')],
      options: (run) => ({ loadBaseReport: baseOf(run, 5_000) }),
    });
    expect(told[1]).not.toContain('Checks:');
  });

  test('that are still running hold nothing up', async () => {
    const { told } = await live({
      turns: [edit('a - b', 'a + b'), say('Done.')],
      options: () => ({ loadBaseReport: () => Promise.resolve({ report: new Promise(() => undefined) }) }),
      task: { description: 'What is wrong with add()?' },
    });
    expect(told).toHaveLength(2);
  });

  test('end the task with code of an answer that passes them, and go on with what fails', async () => {
    const { told, result } = await live({ turns: [say(code('a * b')), say(code('a + b'))] });
    expect(told).toHaveLength(2);
    expect(told[1]).toMatch(
      /^The code of your answer was put into files: \+1 −1 in calc\.py\.\nChecks: 0 of 1 pass\.\nFailing: /,
    );
    expect(result).toMatchObject({ verification_status: 'verified', verification_attempts: 1 });
    expect(result?.changes.patch).toContain('+    return a + b');
  });
});

describe('an answer without a call while a check fails and nothing has changed', () => {
  test('is no ending, twice at most, whatever it says', async () => {
    const { told, result } = await live({
      turns: [say('Done.'), say('Done.'), say('Done.')],
      task: { max_verification_retries: 0, file_hints: ['calc.py'] },
    });
    expect(told).toHaveLength(3);
    expect(told[1]).toContain('calc.py, whole (6 lines):\n```\ndef add(a, b):');
    expect(told[1]).toContain('A check still fails, so something has to change.');
    expect(told[2]).toMatch(/^No file has changed again, and a check still fails/);
    expect(result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 3 });
  });

  test('is one where the checks passed at first', async () => {
    const { told } = await live({
      turns: [say('Nothing is wrong.')],
      task: { verification_steps: [{ type: 'file_exists', target: 'calc.py' }] },
    });
    expect(told).toHaveLength(1);
  });
});

describe('the first message', () => {
  const opening = (isWhole: boolean) => () => ({
    firstMessage: () => Promise.resolve({ text: 'Fix add()', shownFiles: [{ path: 'calc.py', isWhole }] }),
  });
  const write = call('write_file', { file_path: 'calc.py', content: before.replace('a - b', 'a + b') });

  test('counts as read what it shows whole', async () => {
    const { told } = await live({ turns: [write, say('Done.')], options: opening(true) });
    expect(told[1]).toMatch(/^Wrote \d+ bytes to calc\.py \(overwritten\)/);
    await begin();
    const inPart = await live({ turns: [write, write, say('Done.')], options: opening(false) });
    expect(inPart.told[1]).toMatch(/^calc\.py exists and you have not read it/);
    expect(inPart.chats[2]?.messages.at(-2)?.content).toMatch(/^Wrote/);
  });

  test('names the file of code that names none', async () => {
    const unnamed = code('a + b').replace('# calc.py\n', '');
    const { result } = await live({ turns: [say(unnamed)], options: opening(false) });
    expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 1 });
  });
});

test('a task whose worker died at any append of its journal tells the model the same', async () => {
  const turns = [
    edit('made up text', 'x'),
    call('write_file', { file_path: 'calc.py', content: 'pass\n' }),
    say('Done.'),
    say(code('a * b')),
    edit('a * b', 'a + b'),
    say('Done.'),
  ];
  const lastOf = ({ chats }: { chats: ChatBody[] }) =>
    JSON.stringify(chats.at(-1)?.messages ?? []).replaceAll(/\d+ ms|\d+\.\d s/gu, 'N ms');
  const journal = new DyingJournal();
  const first = newPlace();
  const whole = await live({ turns, journal, place: first });
  expect(whole.result).toMatchObject({ verification_status: 'verified' });
  for (const death of deathsOf(journal)) {
    const place = newPlace(first.repo);
    const dying = new DyingJournal(death);
    await live({ turns, journal: dying, place });
    const second = await live({ turns, journal: new DyingJournal(undefined, dying), place });
    const said = lastOf(second);
    if (second.chats.length > 0) {
      const wanted = lastOf(whole);
      // A call whose outcome nobody knows is told as that; all before it is the same.
      const until = said.includes('outcome unknown') ? said.indexOf('outcome unknown') - 60 : said.length;
      expect([death, said.slice(0, until)]).toEqual([death, wanted.slice(0, until)]);
    }
    // The script cannot find out what became of a change that was interrupted; a model can.
    if (said.includes('outcome unknown')) continue;
    expect([death, second.result?.verification_status]).toEqual([death, 'verified']);
  }
}, 300_000);
