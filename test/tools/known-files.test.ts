/** How tools answer a model that works on files which it does not know, or whose text it made up. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import { KnownFiles } from '../../sidecar/solving/loop/known-files.ts';
import type { ToolCallResult } from '../../sidecar/tools/types.ts';
import { callTool } from './called-tools.ts';
import { localEnvironments } from '../support/local-environments.ts';

const environment = localEnvironments();
let env: LocalExecutionEnvironment;
let files: KnownFiles;

beforeEach(() => {
  env = environment();
  files = new KnownFiles(env.workingDirectory);
});

async function call(toolName: string, args: object): Promise<ToolCallResult> {
  const result = await callTool(env, toolName, args, { files });
  files.recordResult(result);
  return result;
}
const textOf = async (path: string): Promise<string> => (await env.readFile(path)).text;
const editMissing = (path: string) =>
  call('edit_file', { file_path: path, old_string: 'return first - second\nimagined', new_string: 'x' });
const calc =
  'export function add(a, b) {\n  return a - b;\n}\n\nexport function twice(a) {\n  return a * 2;\n}\n';

describe('an edit whose text is not in the file', () => {
  test('is answered with a small file as it is', async () => {
    await env.writeFile('calc.js', calc);
    const { output, isError } = await editMissing('calc.js');
    expect(isError).toBe(true);
    expect(output).toBe(
      `calc.js was not changed: old_string was not found in it.\ncalc.js, whole (7 lines):\n\`\`\`\n${calc.trimEnd()}\n\`\`\`\nCopy old_string from this text without any change.`,
    );
    expect(files.isKnown('./calc.js')).toBe(true);
  });

  test('is answered with the nearest passage of a large file', async () => {
    const lines = Array.from({ length: 400 }, (_, index) => `const value${index} = ${index};`);
    lines[300] = 'const wanted = first - imagined;';
    await env.writeFile('large.js', `${lines.join('\n')}\n`);
    const first = await editMissing('large.js');
    expect(first.output).toContain('The most similar passage is at line 301.');
    expect(first.output).toContain('large.js, lines 281 to 321 of 400:');
    expect(first.output).toContain('\nconst wanted = first - imagined;\n');
    expect(first.output.length).toBeLessThan(2_000);
    expect(files.isKnown('large.js')).toBe(false);
  });

  test('with nothing similar in a large file tells what that defines', async () => {
    const functions = Array.from(
      { length: 60 },
      (_, index) => `function f${index}() {\n  return ${index};\n}`,
    );
    await env.writeFile('large.js', `${functions.join('\n')}\n`);
    const { output } = await call('edit_file', {
      file_path: 'large.js',
      old_string: 'zzzz',
      new_string: 'y',
    });
    expect(output).toContain('Definitions in large.js, with line numbers:\n1-3 function f0()');
    expect(output).toContain('large.js, lines 1 to ');
  });

  test('keeps to what the model gets to see', async () => {
    await env.writeFile('wide.txt', `${'word '.repeat(3_000)}\n`);
    const args = { file_path: 'wide.txt', old_string: 'q', new_string: '' };
    const options = { files, limits: { maxOutputChars: 2_000 } };
    const { output } = await callTool(env, 'edit_file', args, options);
    expect(output).toMatch(/^wide\.txt was not changed/);
    expect(output).not.toContain('WARNING');
  });

  test('and a patch that does not fit shows the file too', async () => {
    await env.writeFile('calc.js', calc);
    const patch = '*** Begin Patch\n*** Update File: calc.js\n@@\n-imagined\n+real\n*** End Patch';
    const { output } = await call('apply_patch', { patch });
    expect(output).toContain(`calc.js, whole (7 lines):\n\`\`\`\n${calc.trimEnd()}\n\`\`\``);
  });
});

describe('replacing a whole file', () => {
  beforeEach(() => env.writeFile('calc.js', calc));

  test('that was not read shows it instead, once', async () => {
    const args = { file_path: 'calc.js', content: `${calc}// checked\n` };
    const first = await call('write_file', args);
    expect(first.isError).toBe(true);
    expect(first.output).toMatch(
      /^calc\.js exists and you have not read it, so it was not replaced\. Its content:\n/,
    );
    expect(first.output).toContain('return a - b;');
    expect(await textOf('calc.js')).toBe(calc);
    expect((await call('write_file', args)).output).toMatch(/^Wrote \d+ bytes to calc\.js \(overwritten\)$/);
  });

  test.each([
    ['read', () => call('read_file', { file_path: 'calc.js' })],
    ['shown', () => Promise.resolve(files.recordShown(['./calc.js']))],
  ])('that was %s is done', async (_how, see) => {
    await see();
    expect(await call('write_file', { file_path: 'calc.js', content: `${calc}//\n` })).toMatchObject({
      isError: false,
    });
  });

  test('of which only a part was read shows it', async () => {
    await call('read_file', { file_path: 'calc.js', offset: 5 });
    expect((await call('write_file', { file_path: 'calc.js', content: 'x' })).isError).toBe(true);
    expect(await textOf('calc.js')).toBe(calc);
  });

  test.each([
    ['leaves out a function', 'export function add(a, b) {\n  return a + b;\n}\n'],
    ['renames one', calc.replace('twice', 'double')],
    ['defines nothing', 'pass\n'],
  ])('is done exactly as written, also where the text %s', async (_what, content) => {
    files.recordShown(['calc.js']);
    const { output, isError } = await call('write_file', { file_path: 'calc.js', content });
    expect([isError, output]).toEqual([
      false,
      expect.stringMatching(/^Wrote \d+ bytes to calc\.js \(overwritten\)/),
    ]);
    expect(await textOf('calc.js')).toBe(content);
  });

  test('that the model made itself, or that is empty, is done', async () => {
    await call('write_file', { file_path: 'own.js', content: calc });
    await call('write_file', { file_path: 'own.js', content: 'x;\n' });
    await env.writeFile('empty.js', '\n');
    await call('write_file', { file_path: 'empty.js', content: 'y;\n' });
    expect([await textOf('own.js'), await textOf('empty.js')]).toEqual(['x;\n', 'y;\n']);
  });
});

describe('a file that exists and cannot be read as text', () => {
  const kept: [string, Buffer, RegExp][] = [
    ['binary', Buffer.from('a\0b'), /exists and is not text; change it with a shell command/],
    ['UTF-16 without a mark', Buffer.from('const a = 1;\n', 'utf16le'), /exists and is not text/],
    ['over 10 MiB', Buffer.alloc(10 * 1024 * 1024 + 1, 'x\n'), /exists and is too large to be read whole/],
  ];

  test.each(kept)('is not replaced: %s', async (_what, bytes, reason) => {
    const file = join(env.workingDirectory, 'a.js');
    await writeFile(file, bytes);
    files.recordShown(['a.js']);
    const patch = '*** Begin Patch\n*** Add File: a.js\n+export const a = 2;\n*** End Patch';
    const move = '*** Begin Patch\n*** Update File: b.js\n*** Move to: a.js\n*** End Patch';
    await env.writeFile('b.js', 'b;\n');
    for (const [name, args] of [
      ['write_file', { file_path: 'a.js', content: 'export const a = 2;\n' }],
      ['apply_patch', { patch }],
      ['apply_patch', { patch: move }],
    ] as const) {
      const { isError, output } = await call(name, args);
      expect([name, isError]).toEqual([name, true]);
      expect(output).toMatch(reason);
    }
    const edited = await call('edit_file', { file_path: 'a.js', old_string: '', new_string: 'x' });
    expect(edited.isError).toBe(true);
    expect(bytes.equals(await readFile(file))).toBe(true);
  });
});

describe('a change after which the file does not parse', () => {
  beforeEach(() => env.writeFile('calc.js', calc));
  const note = /\nAfter this change, calc\.js does not parse: line 2: .*Repair this first\.$/;

  test('says where, after an edit, a write and a patch', async () => {
    files.recordShown(['calc.js']);
    const edited = await call('edit_file', {
      file_path: 'calc.js',
      old_string: '  return a - b;\n',
      new_string: '  return (a + ;\n',
    });
    expect([edited.isError, edited.output]).toEqual([false, expect.stringMatching(note)]);
    await env.writeFile('calc.js', calc);
    const written = await call('write_file', {
      file_path: 'calc.js',
      content: calc.replace('a - b', '(a + '),
    });
    expect(written.output).toMatch(note);
    await env.writeFile('calc.js', calc);
    const patch =
      '*** Begin Patch\n*** Update File: calc.js\n@@\n-  return a - b;\n+  return (a + ;\n*** End Patch';
    expect((await call('apply_patch', { patch })).output).toMatch(note);
  });

  test('is no news where it did not parse before', async () => {
    await env.writeFile('calc.js', calc.replace('a - b', '(a + '));
    const { output } = await call('edit_file', {
      file_path: 'calc.js',
      old_string: 'a * 2',
      new_string: '2 * a',
    });
    expect(output).not.toContain('does not parse');
  });
});

test('what a resumed task learns from results alone is the same', async () => {
  await env.writeFile('calc.js', calc);
  const kept: ToolCallResult[] = [];
  for (const [name, args] of [
    ['edit_file', { file_path: 'calc.js', old_string: 'imagined words', new_string: 'x' }],
    ['write_file', { file_path: 'own.js', content: 'x;\n' }],
  ] as const)
    kept.push(await call(name, args));
  const resumed = new KnownFiles(env.workingDirectory);
  for (const result of kept) resumed.recordResult(JSON.parse(JSON.stringify(result)) as ToolCallResult);
  expect([resumed.listedPaths, resumed.isOwn('own.js')]).toEqual([['calc.js', 'own.js'], true]);
});
