import { describe, expect, test } from '@jest/globals';
import { forbidsChanges, isQuestion } from '../../sidecar/task/wanted.ts';
import { processorMs, slowness } from '../support/pace.ts';

describe('a request', () => {
  test.each([
    'What does add() do?',
    'explain calc.py',
    '"How" is it built',
    'When is the session closed',
    'Does it retry',
    'Which file decides how long a session lives',
    'Please explain the retry logic.',
    'Could you explain why it fails?',
    'How long does it wait at most?\nDo not change anything, I only want to know.',
    'Please don’t change anything, only answer: how often is it sent, and which file decides it?',
    'We found a retry in several places. Which one counts?',
    'What should I change to raise the limit?',
    'What happens when I add a file and remove it again?',
    'List all endpoints of the server.',
    'Compare a.py and b.py.',
    'Tell me how prices are rounded.',
    'Look at calc.py and let me know what it returns for 0.',
    'Say which files import calc.py.',
    'Summarize the open points of the plan.',
  ])('%j asks', (request) => expect(isQuestion(request)).toBe(true));
  test.each([
    'Fix add() in calc.py',
    'Whatever fails, mend it',
    'Make the tests pass.',
    'Add a parser, ok?',
    'Can you rename add to plus?',
    'Would you please fix the build?',
    'When contacts.json is damaged, loadContacts returns an empty list. It should throw an error.',
    'When contacts.json is damaged, loadContacts returns an empty list.',
    'Where a price has no currency, the sum is wrong.',
    'Which of two rules wins depends on their order. The more exact one must win.',
    'How often a request is sent is written in two places.\nMove it into config.js.',
    'Is the date in the past, the form shows nothing. It has to say so.',
    'Do the rounding at the end.',
    'Why does the build fail? Find out and fix it.',
    'List items are shown in reverse order.',
    'Show the total below the table.',
    'Answer 404 where there is no such file.',
    'Say "not found" instead of "null".',
    'Compare versions by number, not as text.',
    'Describe the flag --dry-run in README.md.',
    'I would like an option to skip weekends.',
    'Does parse("") return null? It ought to throw.',
  ])('%j does not', (request) => expect(isQuestion(request)).toBe(false));

  test.each([
    'Where is the limit set? Please only answer, don’t change any file.',
    "Please don't change anything, only answer: how often is it sent?",
    'How long does it wait at most?\nDo not change anything, I only want to know.',
    'I just want to know why it fails. Change nothing!',
  ])('%j asks and forbids changes', (request) => expect(forbidsChanges(request)).toBe(true));
  test.each([
    'How long does it wait?',
    'Fix add() in calc.py. Do not change anything else.',
    "Can you fix add()? Don't change anything in test/.",
    "Can you fix add()? Don't change any files of the build.",
    'Can you fix add()? Do not change anything, except for calc.py.',
    'Fix add() in calc.py. Change nothing.',
    'Why does it fail? Change nothing but calc.py.',
  ])('%j does not forbid them', (request) => expect(forbidsChanges(request)).toBe(false));

  test('is told in time that does not grow with its length', () => {
    for (const text of ['. ', 'and then ', 'please ', 'list the ', '? ', 'describe in '].map((part) =>
      part.repeat(200_000),
    ))
      expect(processorMs(() => isQuestion(text))).toBeLessThan(1_000 * slowness());
  });
});
