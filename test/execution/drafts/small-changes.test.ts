/** Small changes that the program tries by itself: of a sign, of the order of lines, and of what is often forgotten. */
import { describe, expect, test } from '@jest/globals';
import { smallChanges } from '../../../sidecar/execution/drafts/small-changes.ts';
import { verbatim } from '../../support/scripted-model.ts';
import { answer, draftRuns, right, WRONG } from './draft-runs.ts';

describe('which signs of a line are changed, likeliest first', () => {
  const changesOf = (text: string, path = 'x.js'): string[] =>
    [...smallChanges([{ path, line: 1, text, above: [] }], [{ path, text: `${text}\n` }])].map(({ file }) =>
      file.after!.trimEnd(),
    );

  test.each([
    [
      'if (a < b && c >= d) go();',
      ['if (a <= b && c >= d) go();', 'if (a < b && c > d) go();', 'if (a < b || c >= d) go();'],
    ],
    ['if not a and b <= c:', ['if not a and b < c:', 'if not a or b <= c:']],
    ['x = Math.floor(y);', ['x = Math.ceil(y);', 'x = Math.round(y);', 'x = Math.trunc(y);']],
    [
      'return list.some(isOpen) === true;',
      ['return list.some(isOpen) !== true;', 'return list.every(isOpen) === true;'],
    ],
    ['const last = list[n - 1];', ['const last = list[n];']],
    ['at = column + 3 - row;', ['at = column - row;']],
    ['[ $n -gt 3 ] && exit', ['[ $n -ge 3 ] && exit']],
    ['const max = given || 10;', ['const max = given && 10;', 'const max = given ?? 10;']],
    ['return text.replace(/,/, "");', ['return text.replaceAll(/,/, "");', 'return text.replace(/,/g, "");']],
    ['list.sort((a, b) => a.due - b.due);', ['list.sort((a, b) => b.due - a.due);']],
  ])('%s', (line, expected) => {
    expect(changesOf(line).slice(0, expected.length)).toEqual(expected);
  });

  test.each([
    ['deck.py', 'front, back = line.split(":")', ['front, back = line.split(":", 1)']],
    ['x.py', 'a, b = text.split()', []],
    ['x.js', "line.split(':');", []],
    ['link.sh', 'while read -r file name; do', ['while read -r file name || [ -n "$file" ]; do']],
    ['x.sh', 'while IFS= read -r line', ['while IFS= read -r line || [ -n "$line" ]']],
    ['prune.sh', 'list | sort | tail -n 1', ['list | sort -r | tail -n 1', 'list | sort -n | tail -n 1']],
    ['x.sh', 'sort -n a.txt; echo "sort | tail"', []],
  ])('%s: %s', (path, line, expected) => {
    expect(changesOf(line, path)).toEqual(expected);
  });

  describe('of the order of lines', () => {
    const movesOf = (text: string, line: number): string[] =>
      [
        ...smallChanges(
          [{ path: 'x.js', line, text: text.split('\n')[line - 1] ?? '', above: [] }],
          [{ path: 'x.js', text }],
        ),
      ].map(({ file }) => file.after!);

    test('a statement goes before those above it', () => {
      expect(movesOf('f();\n  go();\n  stop();\n  show();\n}\n', 4)).toEqual([
        'f();\n  go();\n  show();\n  stop();\n}\n',
        'f();\n  show();\n  go();\n  stop();\n}\n',
      ]);
    });

    test('what ends the statement stays at its end', () => {
      expect(movesOf('  return text\n    .a()\n    .b();\n', 3)).toEqual([
        '  return text\n    .b()\n    .a();\n',
      ]);
      expect(movesOf('go();\r\nstop()\r\n', 2)).toEqual(['stop();\r\ngo()\r\n']);
    });

    test.each([
      ['out of its block', 'if (a) {\n  go();\n', 2],
      ['over what others belong to', 'if a:\nstop()\n', 2],
      ['where it is a part of data', '  a,\n  b,\n', 2],
      ['where it ends the way', '  go();\n  return a;\n', 2],
    ])('none %s', (_, text, line) => {
      expect(movesOf(text, line)).toEqual([]);
    });
  });

  test('none of strings, comments, arrows and shifts', () => {
    expect(changesOf("say('a < b && c'); // a < b")).toEqual([]);
    expect(changesOf('const f = (a) => a >> b;')).toEqual([]);
    expect(changesOf('x->y = `a<b`;')).toEqual([]);
  });

  test('line ends stay', () => {
    const [change] = smallChanges(
      [{ path: 'x.js', line: 2, text: 'a < b;', above: [] }],
      [{ path: 'x.js', text: 'go();\r\na < b;\r\n' }],
    );
    expect(change?.file.after).toBe('go();\r\na <= b;\r\n');
  });
});

describe('while the model writes', () => {
  const { run, source } = draftRuns();
  const config = {
    brief: { seconds: 15 },
    ollama: { slots: 1 },
    solving: { strategy: 'drafts' as const, drafts: 1, smallChanges: 20 },
  };

  test('another sign that passes the checks is taken where the first answer does not', async () => {
    const { result, rows } = await run([answer('return a;')], [], { config });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 1 });
    expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    expect(result.output).toContain('The program made a small change');
    expect(rows.map(({ text }) => text)).toContain('Small change: +1 −1 in src/add.js; the check passes');
  });

  test('the first answer is taken where it passes', async () => {
    const { result } = await run([{ ...right, delayMs: 300 }], [], { config });
    expect(result).toMatchObject({ status: 'success', iterations_used: 1 });
    expect(result.output).toContain('Draft 1 of 1 passes the checks.');
  });

  test('none where the checks pass before the work', async () => {
    const { rows } = await run([answer('return a;'), verbatim('No.')], [], {
      config,
      task: { verification_steps: [{ type: 'file_exists', target: 'src/add.js' }] },
    });
    expect(rows.map(({ text }) => text).join('\n')).not.toContain('small');
    expect(source()).not.toContain('a + b');
  });
});
