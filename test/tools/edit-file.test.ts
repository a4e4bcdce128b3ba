import { readdirSync } from 'node:fs';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import type { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import { editText } from '../../sidecar/parsing/editing/edit-text.ts';
import { callTool, checkCase, filesUnder } from './called-tools.ts';
import { localEnvironments } from '../support/local-environments.ts';
import { scaled } from '../support/scale.ts';

const cases = join(import.meta.dirname, '../cases/edit-file');
const environment = localEnvironments();
let env: LocalExecutionEnvironment;
let folder: string;
beforeEach(() => {
  env = environment();
  folder = env.workingDirectory;
});

const edit = (args: object) => callTool(env, 'edit_file', args);

describe('edit_file', () => {
  test.each(readdirSync(cases))('%s', async (name) => {
    const args = JSON.parse(await readFile(join(cases, name, 'call.json'), 'utf8')) as object;
    await checkCase(join(cases, name), folder, () => edit(args));
  });

  test('creates a missing file from an empty old_string', async () => {
    const result = await edit({ file_path: 'new/a.txt', old_string: '', new_string: 'hello\n' });
    expect(result.output).toBe('Created new/a.txt (6 bytes)');
    expect(await filesUnder(folder)).toEqual({ 'new/a.txt': 'hello\n' });
  });

  describe('in a long line', () => {
    const long = `${'let a=1;'.repeat(2_000)}function pay(sum){return sum-fee}${'let b=2;'.repeat(2_000)}`;

    test('shows what changed', async () => {
      await env.writeFile('min.js', `${long}\n`);
      const { output } = await edit({ file_path: 'min.js', old_string: 'sum-fee', new_string: 'sum+fee' });
      expect(output).toContain('function pay(sum){return sum-fee}');
      expect(output).toContain('function pay(sum){return sum+fee}');
      expect(output.length).toBeLessThan(1_000);
    });

    test('shows what is around the passage that is most like a missing one', async () => {
      await env.writeFile('min.js', `${long}\n`);
      const missing = {
        file_path: 'min.js',
        old_string: 'function pay(sum){return sum*fee}',
        new_string: '',
      };
      expect((await edit(missing)).output).toContain('let a=1;function pay(sum){return sum-fee}let b=2;');
    });
  });

  test('names the closest paths for a missing file', async () => {
    await env.writeFile('src/main.ts', 'a\n');
    const result = await edit({ file_path: 'src/mian.ts', old_string: 'a', new_string: 'b' });
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/^Tool error \(edit_file\): .*src\/main\.ts/s);
  });

  test('keeps the mode of the file', async () => {
    await env.writeFile('run.sh', 'echo a\n');
    await chmod(join(folder, 'run.sh'), 0o755);
    await edit({ file_path: 'run.sh', old_string: 'echo a', new_string: 'echo b' });
    expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o755);
  });

  test('answers with a unified diff of what changed only', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    await env.writeFile('a.txt', `${lines.join('\n')}\n`);
    const result = await edit({ file_path: 'a.txt', old_string: 'line 50\n', new_string: 'LINE 50\nmore\n' });
    expect(result.output).toBe(
      [
        'Edited a.txt',
        '@@ -47,7 +47,8 @@',
        ' line 47',
        ' line 48',
        ' line 49',
        '-line 50',
        '+LINE 50',
        '+more',
        ' line 51',
        ' line 52',
        ' line 53',
      ].join('\n'),
    );
  });

  test('counts the lines of later hunks from the new file', async () => {
    const lines = Array.from({ length: 60 }, (_, index) =>
      index % 20 === 10 ? 'mark' : `line ${index + 1}`,
    );
    await env.writeFile('a.txt', lines.join('\n'));
    const result = await edit({
      file_path: 'a.txt',
      old_string: 'mark',
      new_string: 'mark\nadded',
      replace_all: true,
    });
    expect(result.output.match(/^@@.*@@$/gm)).toEqual([
      '@@ -9,6 +9,7 @@',
      '@@ -29,6 +30,7 @@',
      '@@ -49,6 +51,7 @@',
    ]);
  });
});

describe('a hostile edit of many lines', () => {
  const repeat = (line: string, count: number): string[] => Array.from({ length: count }, () => line);
  const block = (index: number): string[] => ['begin {', ...repeat(`  step(${index});`, 1_000), '}'];
  const hostile: Record<string, [string, string]> = {
    'lines that are all the same': [
      repeat('    }', 10_000).join('\n'),
      [...repeat('  }', 4_000), 'end'].join('\n'),
    ],
    'a passage that repeats itself': ['a'.repeat(2_000_000), `${'a'.repeat(1_000_000)}b`],
    'white space without end': [`x${' '.repeat(2_000_000)}y`, `z${' '.repeat(1_000_000)}\nq`],
    'words that are everywhere': [
      repeat('foo bar baz qux foo bar baz qux', 50_000).join('\n'),
      repeat('foo bar baz quux', 5_000).join('\n'),
    ],
    'many nearly equal blocks between the same anchors': [
      Array.from({ length: 50 }, (_, index) => block(index).join('\n')).join('\n'),
      ['begin {', ...repeat('  other(1);', 1_000), '}'].join('\n'),
    ],
    'long and nearly equal lines between the same anchors': [
      Array.from({ length: 50 }, (_, index) =>
        ['begin {', ...repeat(`${'ab cd ef gh '.repeat(80)}${index}`, 200), '}'].join('\n'),
      ).join('\n'),
      ['begin {', ...repeat('ab cd ef gx '.repeat(80), 200), '}'].join('\n'),
    ],
    'escapes and curly quotes in every line': [
      repeat('\\n\\t "x" “y”', 50_000).join('\n'),
      repeat('\\\\n\\t “x”', 1_000).join('\n'),
    ],
  };

  // A search in other than linear time would take minutes; bench/tools-editing.ts has the times.
  test.each(Object.entries(hostile))('%s is refused', (_name, [text, oldString]) => {
    expect(editText(text, { oldString, newString: 'x', replaceAll: false }).ok).toBe(false);
  });
});

describe('replacing a passage', () => {
  const word = fc.constantFrom('a', 'b', ' ', '  ', '\t', '\n', '\r\n', '{', '}', '$&', '“', '\\n', '1 | ');
  const text = fc.array(word, { maxLength: 40 }).map((parts) => parts.join(''));

  test('that is there exactly once changes nothing else', () => {
    fc.assert(
      fc.property(text, text, text, (before, after, replacement) => {
        const original = `${before}<passage>${after}`;
        const outcome = editText(original, {
          oldString: '<passage>',
          newString: replacement.replaceAll('\r\n', '\n'),
          replaceAll: false,
        });
        if (!outcome.ok) return false;
        const ending = /\r?\n/.exec(original)?.[0] ?? '\n';
        return (
          outcome.text === before + replacement.replaceAll('\r\n', '\n').replaceAll('\n', ending) + after
        );
      }),
      { numRuns: scaled({ quick: 200, full: 5_000 }) },
    );
  });

  test.each([
    ['a\r\nb\r\nc', 'b', 'x\r', 'a\r\nx\r\nc'],
    ['a\r\nb\r\nc', 'b', 'x\r\ny\r', 'a\r\nx\r\ny\r\nc'],
    ['a\nb\nc', 'b', 'x\r', 'a\nx\nc'],
    ['a\r\nb\r\nc', 'b\r', 'x\r', 'a\r\nx\r\nc'],
  ])(
    'with a carriage return at its end keeps the line endings of %j',
    (original, oldString, newString, after) => {
      const outcome = editText(original, { oldString, newString, replaceAll: false });
      expect(outcome).toMatchObject({ ok: true, text: after });
    },
  );

  test('never ends in an exception or an endless search, whatever the text', () => {
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (original, oldString, newString, replaceAll) => {
        const outcome = editText(original, { oldString: oldString || ' ', newString, replaceAll });
        return outcome.ok ? outcome.text !== original : outcome.message.length > 0;
      }),
      { numRuns: scaled({ quick: 500, full: 20_000 }) },
    );
  });
});
