/** Repositories as people have them, each made with git itself, and one task that a model does in it with its tools. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import type { NamedCall } from '../../support/scripted-model.ts';
import type { Component } from '../../support/requirements.ts';
import { git, write } from '../../workspace/repositories.ts';

export interface FilesCase {
  needs?: Component;
  /** Makes a repository in an empty folder; answers what the task is to name, by default that folder. */
  make: (dir: string) => string | void;
  calls: NamedCall[];
  /** A command that succeeds once the task is done. */
  check: string;
  task?: object;
  /** Parts of what the model is shown, in this order. */
  shown?: RegExp[];
  /** What the owner sees, in a clone of the branch: files as they are checked out. */
  files?: Record<string, string | Buffer>;
  /** Looks further at such a clone and at the result. */
  more?: (clone: string, result: TaskResult) => void;
  /** Why the task cannot be done. */
  refused?: RegExp;
}

const start = (dir: string, files: Record<string, string | Buffer> = { 'a.txt': 'bad\n' }): void => {
  git(dir, 'init', '-q', '-b', 'main');
  write(dir, files);
  commit(dir);
};
const commit = (dir: string): void => {
  git(dir, 'add', '-A');
  git(dir, 'commit', '-qm', 'as it is');
};
const edit = (file_path: string, old_string = 'bad', new_string = 'good'): NamedCall => [
  'edit_file',
  { file_path, old_string, new_string },
];
const read = (file_path: string): NamedCall => ['read_file', { file_path }];
const move = (from: string, to: string, old: string, text: string): NamedCall => [
  'apply_patch',
  {
    patch: `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n@@\n-${old}\n+${text}\n*** End Patch`,
  },
];
const repair = { calls: [edit('a.txt')], check: 'grep -q good a.txt', files: { 'a.txt': 'good\n' } };
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');

const LFS = 'filter=lfs diff=lfs merge=lfs -text';
const DEEP = Array.from({ length: 60 }, (_, level) => `level${level}`).join('/');
const NAMES = ['with blank.txt', 'größe.txt', 'neue\nzeile.txt', ' lead.txt', '-rf.txt', '[a]*.txt'];

export const filesCases: Record<string, FilesCase> = {
  'Git LFS': {
    needs: 'git-lfs',
    make: (dir) => {
      start(dir, { 'a.txt': 'bad\n' });
      git(dir, 'lfs', 'install', '--local');
      write(dir, { 'data/.gitattributes': `*.bin ${LFS}\n`, 'data/big.bin': 'large\n', 'data/b.bin': 'b\n' });
      commit(dir);
    },
    calls: [
      read('data/big.bin'),
      ['write_file', { file_path: 'data/big.bin', content: 'other\n' }],
      ['run_command', { command: 'echo other > data/b.bin; echo new > data/new.bin' }],
      edit('a.txt'),
    ],
    check: 'grep -q good a.txt && test ! -e data/new.bin',
    shown: [
      /files in Git LFS are pointers here.*: data\/b\.bin, data\/big\.bin/,
      /only its pointer/,
      /files in Git LFS are pointers/,
    ],
    more: (_clone, { changes }) => {
      expect(changes.files?.map(({ path }) => path)).toEqual(['a.txt']);
      expect(changes.patch_omitted).toMatch(
        /left out: data\/b\.bin \(in Git LFS.*data\/new\.bin \(in Git LFS/,
      );
    },
  },
  'a sparse checkout': {
    make: (dir) => {
      start(dir, { 'src/a.txt': 'bad\n', 'docs/b.txt': 'bad\n' });
      git(dir, 'sparse-checkout', 'set', '--cone', 'src');
    },
    calls: [edit('src/a.txt'), edit('docs/b.txt')],
    check: 'grep -q good src/a.txt && grep -q good docs/b.txt',
  },
  'a submodule': {
    make: (dir) => {
      const [inner, outer] = [join(dir, 'inner'), join(dir, 'outer')];
      for (const folder of [inner, outer]) {
        mkdirSync(folder);
        start(folder);
      }
      git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'libs/inner');
      commit(outer);
      return outer;
    },
    ...repair,
    calls: [['list_directory', { path: 'libs/inner' }], edit('a.txt')],
    shown: [/submodules are not fetched: these folders are empty.*: libs\/inner/],
  },
  'a repository that was added inside of another, without .gitmodules': {
    make: (dir) => {
      mkdirSync(join(dir, 'inner'));
      start(join(dir, 'inner'));
      start(dir);
    },
    ...repair,
    shown: [/submodules are not fetched.*: inner/],
  },
  'working-tree-encoding': {
    make: (dir) =>
      start(dir, {
        '.gitattributes': '*.rc working-tree-encoding=UTF-16LE-BOM eol=crlf\n',
        'a.rc': utf16('über\r\nbad\r\n'),
        'b.rc': utf16('b\r\n'),
      }),
    calls: [edit('a.rc'), ['run_command', { command: String.raw`printf '\377\376o\0' > b.rc` }]],
    // In the owner's checkout it is UTF-16.
    check: "tr -d '\\0' < a.rc | grep -q good",
    shown: [/working-tree-encoding are UTF-8 here.*: a\.rc, b\.rc/],
    files: { 'a.rc': utf16('über\r\ngood\r\n'), 'b.rc': utf16('b\r\n') },
    more: (_clone, { changes }) => expect(changes.patch_omitted).toMatch(/left out: b\.rc \(not UTF-8/),
  },
  'Latin-1, Shift-JIS in a patch that moves it, UTF-16, CRLF and a byte order mark': {
    make: (dir) =>
      start(dir, {
        'a.c': latin1('/* gepr\xfcft \x80\x81 */\nint bad;\r\n/* \xe4 */'),
        'jis.c': latin1('/* \x83\x5c\x83\x8b */\nint bad;\n'),
        'a.txt': utf16('"ü"\r\nbad\r\n'),
        'b.txt': Buffer.from(utf16('bad\n')).swap16(),
        'a.cs': '\uFEFFbad;\r\nmixed\nend\r\n',
        'b.cs': '\uFEFFbad;\r\nend\r\n',
      }),
    calls: [
      read('a.c'),
      edit('a.c', 'ö', 'é'),
      edit('a.c', 'int bad', 'int größe'),
      edit('a.c'),
      move('jis.c', 'moved.c', 'int bad;', 'int good;'),
      read('a.txt'),
      edit('a.txt'),
      read('b.txt'),
      ['write_file', { file_path: 'b.txt', content: 'good\n' }],
      ['run_command', { command: 'cat a.txt b.txt >&2; iconv -f UTF-16 -t UTF-16LE a.txt' }],
      edit('a.cs'),
      read('b.cs'),
      ['write_file', { file_path: 'b.cs', content: 'good;\nmore;\nend\n' }],
    ],
    check:
      'grep -aq "int good" a.c && grep -aq "int good" moved.c && iconv -f UTF-16 -t UTF-8 a.txt | grep -q good && grep -q good a.cs && grep -q good b.cs',
    shown: [
      /not UTF-8 and shown as Windows-1252/,
      /geprüft €/,
      /cannot be encoded: öß\. /,
      /a\.txt is UTF-16LE/,
      /2 \| bad/,
      /"ü"\r?\ngood/,
    ],
    files: {
      'a.c': latin1('/* gepr\xfcft \x80\x81 */\nint good;\r\n/* \xe4 */'),
      'moved.c': latin1('/* \x83\x5c\x83\x8b */\nint good;\n'),
      'a.txt': utf16('"ü"\r\ngood\r\n'),
      'b.txt': Buffer.from(utf16('good\n')).swap16(),
      'a.cs': '\uFEFFgood;\r\nmixed\nend\r\n',
      'b.cs': '\uFEFFgood;\r\nmore;\r\nend\r\n',
    },
  },
  'a linked and a very deep folder, a program, a name that changes its case, names with blanks, umlauts, newlines and signs':
    {
      make: (dir) => {
        const bad = ['real/a.txt', `${DEEP}/a.txt`, 'bin/a.txt', 'README.md', ...NAMES];
        write(dir, Object.fromEntries(bad.map((name) => [name, 'bad\n'])));
        symlinkSync('real', join(dir, 'link'));
        chmodSync(join(dir, 'bin/a.txt'), 0o755);
        start(dir, {});
      },
      calls: [
        edit('link/a.txt'),
        edit(`${DEEP}/a.txt`),
        edit('bin/a.txt'),
        move('README.md', 'Readme.md', 'bad', 'good'),
        ...NAMES.map((name) => edit(name)),
      ],
      check: `test -L link && test ! -e README.md && grep -q good ${DEEP}/a.txt && grep -q good real/a.txt && grep -q good bin/a.txt && grep -q good Readme.md && test "$(cat -- ./*.txt | grep -c good)" = 6`,
      files: Object.fromEntries(
        ['real/a.txt', `${DEEP}/a.txt`, 'bin/a.txt', 'Readme.md', ...NAMES].map((name) => [name, 'good\n']),
      ),
      more: (clone) => expect(statSync(join(clone, 'bin/a.txt')).mode & 0o111).not.toBe(0),
    },
  'no commit yet': {
    make: (dir) => {
      git(dir, 'init', '-q', '-b', 'main');
    },
    ...repair,
    refused: /no commit/,
  },
  'a shallow clone': {
    make: (dir) => {
      const [from, to] = [join(dir, 'from'), join(dir, 'to')];
      mkdirSync(from);
      start(from);
      write(from, { 'b.txt': 'second\n' });
      commit(from);
      git(dir, 'clone', '-q', '--depth', '1', `file://${from}`, to);
      renameSync(from, join(dir, 'gone'));
      return to;
    },
    ...repair,
  },
  'a worktree of git': {
    make: (dir) => {
      mkdirSync(join(dir, 'main'));
      start(join(dir, 'main'));
      git(join(dir, 'main'), 'worktree', 'add', '-q', '-b', 'other', join(dir, 'linked'));
      write(join(dir, 'linked'), { 'only-there.txt': 'x\n' });
      commit(join(dir, 'linked'));
      return join(dir, 'linked');
    },
    ...repair,
    check: 'grep -q good a.txt && test -e only-there.txt',
  },
  'a bare repository with another default branch': {
    make: (dir) => {
      mkdirSync(join(dir, 'from'));
      start(join(dir, 'from'));
      git(join(dir, 'from'), 'branch', '-m', 'trunk');
      git(dir, 'clone', '-q', '--bare', 'from', 'bare.git');
      return join(dir, 'bare.git');
    },
    ...repair,
  },
};

/** Whether a clone has a file, byte for byte. */
export function expectFiles(clone: string, files: Record<string, string | Buffer> = {}): void {
  for (const [path, content] of Object.entries(files)) {
    expect([path, existsSync(join(clone, path))]).toEqual([path, true]);
    expect([path, readFileSync(join(clone, path), 'latin1')]).toEqual([
      path,
      Buffer.from(content as string).toString('latin1'),
    ]);
  }
}
