/** The file methods of the environment. */
import { describe, expect, test } from '@jest/globals';
import { chmod, link, lstat, mkdir, open, readFile, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { refusal, withWorkspace } from '../../support/workspace-fixture.ts';
import { slowness } from '../../support/pace.ts';
import { isLong } from '../../support/scale.ts';

describe('reading', () => {
  test('gives a whole file exactly as it is, byte order mark and line endings included', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/a.txt', '\ufeffone\r\ntwo\n\nfour');
      expect(await env.readFile('a.txt')).toEqual({
        text: '\ufeffone\r\ntwo\n\nfour',
        firstLine: 1,
        lineCount: 4,
        totalLines: 4,
        sizeBytes: 17,
      });
    });
  });

  test('gives a range of lines with their endings, and how many lines there are', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/a.txt', 'one\ntwo\nthree\nfour\nfive');
      expect(await env.readFile('a.txt', { offset: 2, limit: 2 })).toMatchObject({
        text: 'two\nthree\n',
        firstLine: 2,
        lineCount: 2,
        totalLines: 5,
      });
      expect(await env.readFile('a.txt', { offset: 5 })).toMatchObject({ text: 'five', lineCount: 1 });
      expect(await env.readFile('a.txt', { offset: 9 })).toMatchObject({
        text: '',
        lineCount: 0,
        totalLines: 5,
      });
    });
  });

  test('of an empty file gives no line', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/empty', '');
      expect(await env.readFile('empty')).toMatchObject({ text: '', lineCount: 0, totalLines: 0 });
      expect(await env.readFile('empty', { offset: 1, limit: 5 })).toMatchObject({
        lineCount: 0,
        totalLines: 0,
      });
    });
  });

  test('refuses a binary file by name and size', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/a.png', Buffer.from([1, 2, 0, 3]));
      await expect(env.readFile('a.png')).rejects.toMatchObject({
        code: 'BINARY_FILE',
        message: expect.stringContaining('a.png is a binary file (4 bytes)'),
      });
      await put('workspace/a.gz', Buffer.from([0x1f, 0x8b, 8, 9, 0xff]));
      expect(await refusal(env.readFile('a.gz'))).toBe('BINARY_FILE');
      expect(await refusal(env.readFile('a.gz', { offset: 1, limit: 1 }))).toBe('BINARY_FILE');
    });
  });

  test('keeps every byte of a text in another encoding, and refuses a character that has none there', async () => {
    const marked = Buffer.from('\uFEFFa ü 語 \ud800 b\r\n', 'utf16le');
    const texts: [string, string, Buffer][] = [
      [
        'every byte of 0x80 to 0xff',
        'Windows-1252',
        Buffer.from(Array.from({ length: 128 }, (_, at) => 0x80 + at)),
      ],
      ['UTF-8 with one other byte', 'Windows-1252', Buffer.from('ü \xff\n', 'latin1')],
      ['UTF-16LE', 'UTF-16LE', marked],
      ['UTF-16BE', 'UTF-16BE', Buffer.from(marked).swap16()],
    ];
    await withWorkspace({}, async ({ env, put, workspace }) => {
      const bytesOf = (path: string) => readFile(join(workspace, path));
      for (const [name, encoding, bytes] of texts) {
        await put('workspace/a.txt', bytes);
        const file = await env.readFile('a.txt');
        expect([name, file.encoding]).toEqual([name, encoding]);
        await env.writeFile('a.txt', file.text);
        await env.writeFile('new.txt', file.text, 'a.txt');
        for (const path of ['a.txt', 'new.txt'])
          expect([name, (await bytesOf(path)).toString('hex')]).toEqual([name, bytes.toString('hex')]);
        const ranged = await env.readFile('a.txt', { offset: 1, limit: 1 });
        expect(ranged.text).toBe(file.text);
        await env.deleteFile('new.txt');
      }
      await put('workspace/a.txt', Buffer.from('caf\xe9\n', 'latin1'));
      await expect(env.writeFile('a.txt', 'café, größe, 語\n')).rejects.toThrow('cannot be encoded: öß語');
      expect((await bytesOf('a.txt')).toString('latin1')).toBe('café\n');
    });
  });

  test('suggests the closest existing paths for one that is missing', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/src/parser.ts', '');
      await expect(env.readFile('src/praser.ts')).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'src/praser.ts does not exist; did you mean src/parser.ts?',
      });
      await expect(env.readFile('lib/parser.js')).rejects.toThrow('did you mean src/parser.ts?');
    });
  });

  test('refuses folders, pipes and other things that are no files', async () => {
    await withWorkspace({}, async ({ env, workspace }) => {
      await mkdir(join(workspace, 'folder'));
      await env.execCommand('mkfifo pipe');
      expect(await refusal(env.readFile('folder'))).toBe('IS_DIRECTORY');
      expect(await refusal(env.readFile('pipe'))).toBe('NOT_A_FILE');
    });
  });
});

test('the last lines of a very large file come quickly and in little memory', async () => {
  await withWorkspace({}, async ({ env, workspace }) => {
    const line = `${'0123456789abcdef'.repeat(6)}abc\n`;
    const block = Buffer.from(line.repeat(10_000));
    const blocks = isLong ? 1024 : 96;
    const file = await open(join(workspace, 'large.log'), 'w');
    for (let written = 0; written < blocks; written += 1) await file.write(block);
    await file.close();
    const lines = blocks * 10_000;
    const before = process.memoryUsage.rss();
    let peak = before;
    const sampling = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const startedMs = performance.now();
    const result = await env.readFile('large.log', { offset: lines - 9, limit: 20 });
    const tookMs = performance.now() - startedMs;
    clearInterval(sampling);
    expect(result).toMatchObject({ text: line.repeat(10), lineCount: 10, totalLines: lines });
    // The bench holds the real target; a test may run beside others.
    expect(tookMs).toBeLessThan((isLong ? 20_000 : 8000) * slowness());
    expect((peak - before) / 1024 ** 2).toBeLessThan(50);
  });
}, 120_000);

describe('writing', () => {
  test('creates parents, says whether the file is new, and keeps the mode of one that exists', async () => {
    await withWorkspace({}, async ({ env, workspace }) => {
      expect(await env.writeFile('a/b/run.sh', 'x')).toEqual({ created: true, sizeBytes: 1 });
      await chmod(join(workspace, 'a/b/run.sh'), 0o751);
      expect(await env.writeFile('a/b/run.sh', 'éé')).toEqual({ created: false, sizeBytes: 4 });
      expect((await lstat(join(workspace, 'a/b/run.sh'))).mode & 0o7777).toBe(0o751);
      expect((await env.listDirectory('a/b')).entries).toHaveLength(1);
    });
  });

  test('leaves the other names of a hard link as they were', async () => {
    await withWorkspace({}, async ({ env, put, workspace }) => {
      const outside = await put('outside.txt', 'precious');
      await link(outside, join(workspace, 'linked.txt'));
      await env.writeFile('linked.txt', 'changed');
      expect(await readFile(outside, 'utf8')).toBe('precious');
    });
  });

  test('follows a link that stays inside', async () => {
    await withWorkspace({}, async ({ env, put, workspace }) => {
      await put('workspace/real.txt', 'old');
      await symlink('real.txt', join(workspace, 'link.txt'));
      await env.writeFile('link.txt', 'new');
      expect(await readlink(join(workspace, 'link.txt'))).toBe('real.txt');
      expect(await readFile(join(workspace, 'real.txt'), 'utf8')).toBe('new');
    });
  });

  test.each([
    '.git/hooks/pre-commit',
    '.GIT/config',
    'sub/.git/config',
    '.env',
    '.env.local',
    '.env.example.local',
    'certs/server.pem',
    'id_ed25519',
    'secrets/token.txt',
    'secrets/key.example',
  ])('never touches the protected path %s', async (path) => {
    await withWorkspace({ protectedPaths: ['secrets/**', '!.git'] }, async ({ env }) => {
      expect(await refusal(env.writeFile(path, 'x'))).toBe('PATH_PROTECTED');
      expect(await refusal(env.deleteFile(path))).toBe('PATH_PROTECTED');
    });
  });

  test('of names that only look protected works', async () => {
    await withWorkspace({}, async ({ env }) => {
      for (const path of ['.gitignore', '.github/workflows/ci.yml', 'environment.ts', 'keys.ts']) {
        expect(await refusal(env.writeFile(path, 'x'))).toBeUndefined();
      }
    });
  });

  test('of templates, public keys and what the operator takes off works', async () => {
    const shared = '.env.example .env.local.sample .env-template .env.dist server.key.tmpl id_rsa.pub'.split(
      ' ',
    );
    await withWorkspace({ protectedPaths: ['!.env.test', '!certs/*.pem'] }, async ({ env }) => {
      for (const path of [...shared, '.env.test', 'certs/a.pem'])
        expect(await refusal(env.writeFile(path, 'x'))).toBeUndefined();
      expect(await refusal(env.writeFile('a.pem', 'x'))).toBe('PATH_PROTECTED');
    });
  });
});

describe('confinement', () => {
  test.each([
    '../outside.txt',
    'a/../../outside.txt',
    '/etc/passwd',
    'link/outside.txt',
    'link-to-file',
    'dangling',
  ])('refuses %s for every method', async (path) => {
    await withWorkspace({}, async ({ base, env, put, workspace }) => {
      const outside = await put('outside.txt', 'precious');
      await put('workspace/inside.txt', '');
      await symlink(base, join(workspace, 'link'));
      await symlink(outside, join(workspace, 'link-to-file'));
      await symlink('../not-there', join(workspace, 'dangling'));
      const attempts = [
        env.readFile(path),
        env.readFile(path, { offset: 1 }),
        env.writeFile(path, 'x'),
        env.deleteFile(path),
        env.fileExists(path),
        env.stat(path),
        env.listDirectory(path),
        env.grep('x', { path }),
        env.glob('*', { path }),
        env.glob(`${path}/*`),
        env.execCommand('true', { cwd: path }),
      ];
      expect(new Set(await Promise.all(attempts.map((attempt) => refusal(attempt))))).toEqual(
        new Set(['PATH_OUTSIDE_WORKSPACE']),
      );
      expect(await readFile(outside, 'utf8')).toBe('precious');
    });
  });

  test.each([
    ['/workspace/src/a.py', 'src/a.py'],
    ['/home/user/project/src/a.py', 'src/a.py'],
    ['/a.py/src', 'src'],
    ['/workspace/new/b.py', 'new/b.py'],
    ['/etc/passwd', undefined],
    ['/workspace/../etc/passwd', undefined],
    ['../src/a.py', undefined],
  ])('%s is refused with what it most likely means', async (path, meant) => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/src/a.py', 'x');
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      await expect(env.readFile(path)).rejects.toThrow(
        `PATH_OUTSIDE_WORKSPACE: ${path} is outside the workspace; use a path inside it, relative to its top folder${hint}`,
      );
      if (hint === '') await expect(env.readFile(path)).rejects.not.toThrow('did you mean');
    });
  });

  test('accepts absolute paths inside the workspace, also through a link to it', async () => {
    await withWorkspace({}, async ({ base, env, put, workspace }) => {
      await put('workspace/a.txt', 'x');
      expect((await env.readFile(join(workspace, 'a.txt'))).text).toBe('x');
      await symlink(workspace, join(base, 'alias'));
      expect((await env.readFile(join(base, 'alias/a.txt'))).text).toBe('x');
    });
  });

  test('removes a link, not what it points to', async () => {
    await withWorkspace({}, async ({ env, put, workspace }) => {
      await put('workspace/real.txt', 'x');
      await symlink('real.txt', join(workspace, 'link'));
      await env.deleteFile('link');
      expect(await env.fileExists('link')).toBe(false);
      expect(await env.fileExists('real.txt')).toBe(true);
    });
  });
});
