/** An answer about one line, as a change of its file. */
import { describe, expect, test } from '@jest/globals';
import { begunAnswer, readLineDraft } from '../../../sidecar/execution/drafts/line-draft.ts';
import type { Spot } from '../../../sidecar/execution/drafts/suspects.ts';

const BEFORE = 'function add(a, b) {\n  return a - b;\n}\n';
const at: Spot = { path: 'add.js', line: 2, text: '  return a - b;', above: ['function add(a, b) {'] };
const answered = (content: string, doneReason = 'stop') => ({
  message: { role: 'assistant', content },
  doneReason,
});
const read = (content: string, before = BEFORE, doneReason?: string, spot = at) =>
  readLineDraft(4, spot, { reply: answered(content, doneReason), before });

describe('a line draft', () => {
  test('the answer is begun as a diff that removes the line, up to its indentation', () => {
    expect(begunAnswer(at)).toBe('```diff\n-  return a - b;\n+  ');
  });

  test('what the model goes on with stands in place of the line', async () => {
    expect(await read('return a + b;\n')).toMatchObject({
      number: 4,
      at,
      files: [{ path: 'add.js', before: BEFORE, after: BEFORE.replace('a - b', 'a + b') }],
      answer: '```diff\n-  return a - b;\n+  return a + b;\n',
    });
  });

  test('further added lines follow it, anything else is left out', async () => {
    const { files } = await read('if (!b) return a;\n+  return a + b;\nThat is it.');
    expect(files[0]?.after).toBe('function add(a, b) {\n  if (!b) return a;\n  return a + b;\n}\n');
  });

  test('lines after one that the model began with a blank are moved by that blank', async () => {
    const { files } = await read(' if (!b) {\n+     return a;\n+   }\n+   return a + b;');
    expect(files[0]?.after).toBe(
      'function add(a, b) {\n  if (!b) {\n    return a;\n  }\n  return a + b;\n}\n',
    );
  });

  describe('that is not another wording of the line', () => {
    test('may be meant behind it or before it', async () => {
      const { files, otherwise } = await read('log(sum);');
      expect(files[0]?.after).toBe('function add(a, b) {\n  log(sum);\n}\n');
      expect(otherwise?.changes.map(([file]) => file?.after)).toEqual([
        'function add(a, b) {\n  return a - b;\n  log(sum);\n}\n',
        'function add(a, b) {\n  log(sum);\n  return a - b;\n}\n',
      ]);
    });

    test('is kept for that though it does not parse in its place', async () => {
      const spot = { ...at, line: 1, text: 'function add(a, b) {', above: [] };
      const { rejected, otherwise } = await read('const one = 1;', BEFORE, 'stop', spot);
      expect(rejected).toBe('it does not parse (add.js, line 3)');
      expect(otherwise?.changes).toHaveLength(2);
    });

    test('another wording is nowhere else', async () => {
      expect((await read('return a + b;')).otherwise).toBeUndefined();
    });
  });

  test('the line ends of the file are kept', async () => {
    const crlf = BEFORE.replaceAll('\n', '\r\n');
    const { files } = await read('const sum = a + b;\n+  return sum;', crlf);
    expect(files[0]?.after).toBe('function add(a, b) {\r\n  const sum = a + b;\r\n  return sum;\r\n}\r\n');
  });

  test.each([
    ['nothing', '', 'the answer holds no change'],
    ['the line as it is', ' return a  - b;', 'the answer holds no change'],
    ['no code', 'return (a + b;', 'it does not parse (add.js, line 2)'],
  ])('%s is not tried', async (_what, content, rejected) => {
    expect(await read(content)).toMatchObject({ files: [], rejected });
  });

  describe('where a line is missing', () => {
    const missing: Spot = { ...at, isMissing: true };

    test('the answer is begun behind the lines above', () => {
      expect(begunAnswer(missing)).toBe('```diff\n function add(a, b) {\n+  ');
    });

    test('what the model goes on with stands before the line', async () => {
      const { files } = await read('b = -b;', BEFORE, 'stop', missing);
      expect(files[0]?.after).toBe('function add(a, b) {\n  b = -b;\n  return a - b;\n}\n');
    });

    test('the line that stands there already is no change', async () => {
      expect(await read('return a - b;\n', BEFORE, 'stop', missing)).toMatchObject({
        files: [],
        rejected: 'the answer holds no change',
      });
    });
  });

  test('an answer that was cut off is not tried', async () => {
    expect(await read('return a + b;', BEFORE, 'length')).toMatchObject({
      files: [],
      rejected: 'the answer was cut off at the length limit',
    });
  });
});
