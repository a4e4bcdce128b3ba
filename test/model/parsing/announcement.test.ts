import { describe, expect, test } from '@jest/globals';
import { announcesNextStep } from '../../../sidecar/model/parsing/announcement.ts';

const announcements = [
  'Let me read the file first.',
  "I'll start by looking at the project structure.",
  'I’ll check the tests now.',
  'I will now run the tests:',
  'Okay, let me search for the function.',
  'First, I need to examine src/main.ts.',
  'To do this, I will create a new file called a.ts.',
  'Now let me update the configuration...',
  'I fixed the parser in src/parse.ts.\n\nNow let me run the tests.',
  'The bug is in add(). I am going to edit it.',
  "Next, I'll verify the change.",
  "Let's take a look at the failing test.",
  'I need to find where the error comes from. The stack trace names parse().',
  '1. I will read the file.\n2. I will change it.',
  '> Let me look at it.',
  '**First**, let me read it.'.replaceAll('*', ''),
  'It fails.\n\n   \n## Now I will run it.',
  'All tests pass.\n\n\n  Let me commit.\nLet me check the rest.',
  'It fails.\nI will run it.\n   ',
  'I will read it.  It is small. It is old. It is slow.',
  `${'It is long. '.repeat(200)}Let me read it.`,
  `Let me read ${'it and '.repeat(100)}then it is done.`,
];

const finals = [
  '',
  'I fixed the parser. Next you could add a test for empty input.',
  'Done. The function now returns the sum; all tests pass.',
  'Let me know if you need anything else.',
  "I've updated the README. Let me know what you think.",
  'The file contains three functions: read, write and check.',
  'I will not change the tests, because they are right.',
  'You should run npm install before npm test.',
  'If you want, I can also add types.',
  'Should I continue?',
  "I'll be happy to help with anything else.",
  'The answer is 42.',
  'The tests failed, and I cannot fix them without network access.',
  'Here is what I found: the timeout is set in config.ts.',
  'To run it, use `npm start`. Let me explain the options below.',
  "I'll summarize: add() was changed and the tests pass.",
  'As you said I will read the file.',
  'Then let me know.',
  '> ',
  'It is slow.\n \nI will read it. It is small. It is old.',
  'I will read it. It is small. It is old. It is slow. It is there.',
  'I will read it. It is done.',
  'I will read it. It is small.\n \nSo it is.',
  'I will read it. '.repeat(200) + 'It is so.',
  'Shall it be? I will read it?',
  'I will wait.',
  'I will read it once you can run it.',
];

describe('an answer that only announces the next step', () => {
  test.each(announcements)('announces: %s', (text) => expect(announcesNextStep(text)).toBe(true));
  test.each(finals)('is final: %s', (text) => expect(announcesNextStep(text)).toBe(false));
});
