import { readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import type { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import type { ExecutionEnvironment } from '../../sidecar/base/ports.ts';
import type { ToolCallResult } from '../../sidecar/tools/types.ts';
import { callTool, checkCase, filesUnder } from './called-tools.ts';
import { localEnvironments } from '../support/local-environments.ts';
import { scaled } from '../support/scale.ts';

const cases = join(import.meta.dirname, '../cases/apply-patch');
const environment = localEnvironments();
let env: LocalExecutionEnvironment;
let folder: string;
beforeEach(() => {
  env = environment();
  folder = env.workingDirectory;
});

const apply = (body: string, on?: ExecutionEnvironment): Promise<ToolCallResult> =>
  callTool(on ?? env, 'apply_patch', { patch: `*** Begin Patch\n${body}\n*** End Patch` });

/** The environment with some methods replaced, as a failing disk would. */
const failing = (methods: Partial<ExecutionEnvironment>): ExecutionEnvironment =>
  new Proxy<ExecutionEnvironment>(env, {
    get: (target, key: keyof ExecutionEnvironment) => {
      const value: unknown = key in methods ? methods[key] : target[key];
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });

describe('apply_patch', () => {
  test.each(readdirSync(cases))('%s', async (name) => {
    const patch = await readFile(join(cases, name, 'patch.txt'), 'utf8');
    await checkCase(join(cases, name), folder, () => callTool(env, 'apply_patch', { patch }));
  });

  test('keeps the mode of updated and of moved files', async () => {
    for (const path of ['a', 'b']) {
      await env.writeFile(path, 'one\n');
      await chmod(join(folder, path), 0o755);
    }
    const result = await apply(
      '*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n*** Move to: c\n@@\n-one\n+1',
    );
    expect(result.output).toContain('Applied 2 operations');
    for (const path of ['a', 'c']) expect((await stat(join(folder, path))).mode & 0o777).toBe(0o755);
    expect(await filesUnder(folder)).toEqual({ a: '1\n', c: '1\n' });
  });

  test('deletes binary files, which it never reads, and moves none', async () => {
    for (const path of ['a.bin', 'b.bin']) await writeFile(join(folder, path), Buffer.from([0, 1, 2, 255]));
    expect(await apply('*** Delete File: b.bin')).toMatchObject({ isError: false });
    const moved = await apply('*** Update File: a.bin\n*** Move to: c.bin');
    expect(moved.output).toMatch(/a\.bin.*binary/s);
    expect(await readdir(folder)).toEqual(['a.bin']);
  });

  test('takes absolute paths inside the workspace', async () => {
    await env.initialize();
    await env.writeFile('a', 'one\n');
    const result = await apply(`*** Update File: ${env.workingDirectory}/a\n@@\n-one\n+1`);
    expect(result.output).toBe('Applied 1 operation: updated a (1 hunk)');
  });

  test('a protected file among the others leaves all of them as they were', async () => {
    await writeFile(join(folder, 'a'), 'one\n');
    await writeFile(join(folder, '.env'), 'SECRET=1\n');
    const before = await filesUnder(folder);
    const result = await apply(
      '*** Update File: a\n@@\n-one\n+1\n*** Add File: sub/b\n+x\n*** Delete File: .env',
    );
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/\.env.*protected.*nothing was changed/s);
    expect(await filesUnder(folder)).toEqual(before);
  });

  test('a file that cannot be written is noticed before any other is touched', async () => {
    await writeFile(join(folder, 'a'), 'one\n');
    await writeFile(join(folder, '.env'), 'SECRET=1\n');
    const before = await stat(join(folder, 'a'));
    const result = await apply(
      '*** Update File: a\n@@\n-one\n+1\n*** Update File: .env\n@@\n-SECRET=1\n+SECRET=2',
    );
    expect(result.output).toMatch(/\.env.*protected.*nothing was changed/s);
    expect((await stat(join(folder, 'a'))).ino).toBe(before.ino);
    expect((await readdir(folder)).toSorted()).toEqual(['.env', 'a']);
  });

  test('a rename that fails is undone, and what was staged is removed', async () => {
    for (const path of ['a', 'b', 'c']) await writeFile(join(folder, path), 'one\n');
    const before = await filesUnder(folder);
    const broken = failing({
      stageWrite: async (path, content) => {
        const staged = await env.stageWrite(path, content);
        if (path !== 'b') return staged;
        return {
          ...staged,
          commit: async () => {
            await staged.discard();
            throw new Error('disk failed');
          },
        };
      },
    });
    const update = (path: string): string => `*** Update File: ${path}\n@@\n-one\n+1`;
    const result = await apply(['a', 'b', 'c'].map(update).join('\n'), broken);
    expect(result.output).toContain('b: disk failed (nothing was changed)');
    expect(await filesUnder(folder)).toEqual(before);
  });

  test('a write that fails is undone with all before it, in an environment that cannot stage', async () => {
    await writeFile(join(folder, 'a'), 'one\n');
    await writeFile(join(folder, 'b'), 'two\n');
    await writeFile(join(folder, 'gone'), 'three\n');
    const before = await filesUnder(folder);
    let writes = 0;
    const broken = failing({
      stageWrite: undefined,
      writeFile: async (path, content) => {
        if (++writes === 3) throw new Error('no space left on device');
        return await env.writeFile(path, content);
      },
    });
    const result = await apply(
      '*** Update File: gone\n*** Move to: moved\n*** Update File: a\n@@\n-one\n+1\n*** Add File: new\n+x\n*** Update File: b\n@@\n-two\n+2',
      broken,
    );
    expect(result.output).toContain('new: no space left on device (nothing was changed)');
    expect(await filesUnder(folder)).toEqual(before);
  });

  test('a deletion that fails brings the deleted ones back', async () => {
    for (const path of ['a', 'b']) await writeFile(join(folder, path), `${path}\n`);
    const before = await filesUnder(folder);
    const broken = failing({
      deleteFile: async (path) => {
        if (path === 'b') throw new Error('may not be changed by this user');
        await env.deleteFile(path);
      },
    });
    const result = await apply('*** Delete File: a\n*** Delete File: b', broken);
    expect(result.output).toContain('nothing was changed');
    expect(await filesUnder(folder)).toEqual(before);
  });

  test('says which files stay changed when undoing fails too', async () => {
    await writeFile(join(folder, 'a'), 'one\n');
    await writeFile(join(folder, 'b'), 'one\n');
    let writes = 0;
    const broken = failing({
      stageWrite: undefined,
      writeFile: async (path, content) => {
        if (++writes > 1) throw new Error('disk failed');
        return await env.writeFile(path, content);
      },
    });
    const result = await apply('*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-one\n+1', broken);
    expect(result.output).toContain(
      'b: disk failed (the changes to these files could not be undone: a (disk failed))',
    );
  });

  test('a patch of a hundred hunks on 10 000 lines is applied', async () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, index) => `  const value${index} = compute(${index % 97});`,
    );
    await env.writeFile('big.ts', `${lines.join('\n')}\n`);
    const hunks = Array.from({ length: 100 }, (_, index) => {
      const at = index * 100 + 50;
      return `@@\n ${lines[at - 1]}\n-${lines[at]}\n+  changed(${at});\n ${lines[at + 1]}`;
    });
    const body = `*** Update File: big.ts\n${hunks.join('\n')}`;
    const result = await apply(body);
    expect(result.output).toBe('Applied 1 operation: updated big.ts (100 hunks)');
  });
});

describe('a shell call that only applies a patch', () => {
  const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+it's\n*** End Patch\nEOF\n";

  test('is the apply_patch tool', async () => {
    const result = await callTool(env, 'shell', { command: patch });
    expect(result.output).toBe('Applied 1 operation: added a.txt');
    expect(await filesUnder(folder)).toEqual({ 'a.txt': "it's\n" });
  });

  test('works in the folder it changes to', async () => {
    await mkdir(join(folder, 'pkg/src'), { recursive: true });
    const result = await callTool(env, 'bash', { cmd: `cd src && ${patch}`, cwd: 'pkg' });
    expect(result.output).toBe('Applied 1 operation: added pkg/src/a.txt');
  });

  test('with more commands after it is an ordinary command', async () => {
    const result = await callTool(env, 'shell', { command: `${patch}echo done` });
    expect(result.output).toContain('done');
    expect(await filesUnder(folder)).toEqual({});
  });
});

describe('a patch made from two versions of a file', () => {
  const line = fc.constantFrom('a', 'b', '  a', 'c “d”', '', '}', '*** End of File', '@@ x', '+', '-x');
  const lines = fc.array(line, { maxLength: 12 });

  test('turns the first into the second', async () => {
    await fc.assert(
      fc.asyncProperty(lines, lines, lines, lines, async (head, removed, added, tail) => {
        fc.pre(head.length + removed.length + tail.length > 0 && removed.length + added.length > 0);
        const text = (parts: string[]): string => parts.map((part) => `${part}\n`).join('');
        await env.writeFile('a', text([...head, ...removed, ...tail]));
        const body = [
          ...head.map((part) => ` ${part}`),
          ...removed.map((part) => `-${part}`),
          ...added.map((part) => `+${part}`),
          ...tail.map((part) => ` ${part}`),
        ];
        const result = await apply(`*** Update File: a\n@@\n${body.join('\n')}`);
        expect(result.output).toContain('Applied 1 operation');
        expect((await env.readFile('a')).text).toBe(text([...head, ...added, ...tail]));
      }),
      { numRuns: scaled({ quick: 60, full: 1_000 }) },
    );
  });
});
