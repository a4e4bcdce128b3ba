import { describe, expect, test } from '@jest/globals';
import { standsForChange } from '../../../sidecar/model/parsing/unmade-change.ts';
import { processorMs, slowness } from '../../support/pace.ts';

const forChanges = [
  'Here is the corrected calc.py:\n\n```python\ndef add(a, b):\n    return a + b\n```',
  'Run this:\n```\nnpm test\n```',
  '*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch',
  "I'm sorry, but I can't access files on your computer.",
  'As an AI I don’t have the ability to run commands or read your project.',
  'Could you please provide the content of calc.py?',
  'Please replace line 2 by return a + b.',
  "Here's the plan:\n1. Read calc.py\n2. Fix add()",
  'To fix this, follow these steps: open calc.py.',
  'I have fixed the add function. It now returns a + b.',
  "I've successfully updated calc.py.",
  'The function has been corrected.',
  '{"read": {"the_file": "a.py"}}',
  'Thought: I must look.\nAction: read_file\nAction Input: a.py',
  '<tool_use>\n<name>read_file</name>\n</tool_use>',
  '我将首先读取文件 calc.py。',
  'Ich werde jetzt calc.py lesen.',
  '1. **calc.py**\n    ```python\n    def add(a, b):\n        return a + b\n    ```',
  'It was a wrong sign.\n\nChanges:\n- In `add`, a plus for the minus.',
  'It was a wrong sign.\n\n### Changes made\nA plus for the minus.',
  '- Added the `initials` function to `names.js`.',
  '2. **Fixed** the sign in add().',
  'All of it:\n12)  Rewrote add().',
  '• changed the sign',
  '  {"read": "a.py"}\n',
  'I look.\ntool: read_file',
  'Function :read_file',
  '\n <edit file="a.py">\n',
  'So:\n--- a/calc.py\n+++ b/calc.py',
  'So:\n<<<<<<< SEARCH\n',
  'I am not able to open the folder.',
  'So:\nexport function add(a, b) {',
  'So:\n    async def add(a):\n        pass',
  'def add(a, b):',
  'class Cart {\t',
  '<edit\nfile="a.py">',
  '<edit>',
  'It is mended.\nFull changes:',
  '**Changed files**',
  ' -  Fixed it',
  '   ```js\nx',
];
const others = [
  '',
  'ok',
  'Done.',
  'Nothing to do: add() is right as it is.',
  'The tests failed, and the package they need is not installed.',
  'It uses `add` from calc.py.',
  'The map is {a: 1} and Map<string, number> elsewhere.',
  'What it does: nothing.',
  'The timeout is set in config.ts, line 12.',
  'The changes of 2.0 are listed in CHANGELOG.md.',
  'It was added in 2.0.',
  'The answer is {"a": 1}',
  '{"a": 1} is what it returns',
  'It prints x <b>y</b>.',
  'The line "diff --git a b" begins a patch.',
  'action:',
  'As it says, fixed - changed: nothing.',
  '```\n',
  'It cannot fail.',
  'The mark ``` opens a fence.\nIt is so.',
  'It is in function add(a, b) {',
  'function words are short.',
  'const x = 1',
  'The action: read',
  'It holds the changes',
  'It says - fixed it',
  'It is so.\n```\n \n',
];

describe('an answer that stands for a change', () => {
  test.each(forChanges)('%j', (content) => expect(standsForChange(content)).toBe(true));
  test.each(others)('not %j', (content) => expect(standsForChange(content)).toBe(false));

  test('is told in time that does not grow with its length', () => {
    for (const text of ['```\n', 'please ', 'i have ', "can't ", '{', '<a ', '\naction'].map((part) =>
      part.repeat(200_000),
    ))
      expect(processorMs(() => standsForChange(text))).toBeLessThan(1_000 * slowness());
  });
});
