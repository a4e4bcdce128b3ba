/** Nothing that a source repository configures starts a program on the host: every key of git's that takes a command. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { cacheGitDirOf } from '../../sidecar/workspace/repository-cache.ts';
import { resolveSource } from '../../sidecar/workspace/repository-source.ts';
import { gitAttacks, HOOKS } from './git-attacks.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';
import { treeIdOf } from './prepared.ts';

afterAll(cleanUp);

interface Trap {
  command: string;
  hooks: string;
  /** What the program leaves. */
  mark: string;
  sprung: () => boolean;
}

/** A program that leaves a file when anything runs it. */
function trap(): Trap {
  const folder = temporaryFolder();
  const mark = join(folder, 'sprung');
  const command = join(folder, 'trap.sh');
  const hooks = join(folder, 'hooks');
  mkdirSync(hooks);
  for (const path of [command, ...HOOKS.map((name) => join(hooks, name))])
    writeFileSync(path, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  return { command, hooks, mark, sprung: () => existsSync(mark) };
}

/** A repository with these settings, objects that it borrows from another one, and attributes that name its drivers. */
function hostile(
  settings: readonly (readonly [string, string])[],
  { command, hooks }: Trap,
  cacheOf: string,
): string {
  const origin = repository({
    '.gitattributes': '* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n',
    'a.txt': 'one\n',
    'large.bin': 'version https://git-lfs.github.com/spec/v1\n',
  });
  const repo = temporaryFolder();
  git(repo, 'clone', '-q', '--shared', origin, '.');
  write(repo, { 'a.txt': 'two\n' });
  git(repo, 'commit', '-qam', 'second');
  write(repo, { 'a.txt': 'not committed\n' });
  for (const name of HOOKS)
    writeFileSync(join(repo, '.git', 'hooks', name), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const included = join(temporaryFolder(), 'config');
  execFileSync('git', ['config', '--file', included, 'filter.evil.clean', command]);
  const fill = (text: string): string =>
    text
      .replace(/^C$/, command)
      .replace(/^!C$/, `!${command}`)
      .replace('C%', command)
      .replace('CACHE', cacheOf)
      .replace('HOOKS', hooks)
      .replace('INCLUDED', included);
  configure(
    repo,
    settings.map(([key, value]) => [fill(key), fill(value)]),
  );
  return repo;
}

/** Writes these settings into a repository's configuration, without a process for each. */
function configure(repo: string, settings: readonly (readonly [string, string])[]): void {
  const lines = settings.map(([key, value]) => {
    const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
    const subsection = first === last ? '' : ` "${key.slice(first + 1, last)}"`;
    return `[${key.slice(0, first)}${subsection}]\n\t${key.slice(last + 1)} = "${value}"\n`;
  });
  appendFileSync(join(repo, '.git', 'config'), lines.join(''));
}

/** Attacks that leave the source readable, and do not stand in each other's way: they share a repository. */
const TOGETHER = [
  [
    'core.alternateRefsCommand',
    'core.fsmonitor',
    'core.hooksPath',
    'core.editor and the like',
    'diff and merge drivers',
    'filters',
    'a Git LFS of its own',
    'signing',
    'uploadpack.packObjectsHook',
    'hooks that the configuration names',
    'programs of tools, mail and browsers',
  ],
  ['filters in an included file', 'filters of an included file, on a condition'],
  ['filter.process', 'aliases, trailers, archives, submodules', 'maintenance and background work'],
];
const grouped = new Set(TOGETHER.flat());
const alone = Object.keys(gitAttacks).filter((name) => !grouped.has(name));

describe.each([...TOGETHER, ...alone.map((name) => [name])])('%s of a source', (...names) => {
  test('starts nothing when a task begins, is committed, published and released', async () => {
    const settings = names.flatMap((name) => gitAttacks[name] ?? []);
    const where = places();
    const snare = trap();
    const folder = hostile(settings, snare, join(where.cacheDir, 'cache.git'));
    const source = await resolveSource(folder);
    if (!source.ok) throw new Error(source.failure.message);
    // The name of the cache is known to whoever knows the worker's folders.
    const cache = cacheGitDirOf(where.cacheDir, source.value);
    const named = settings.filter(([name]) => name.includes('CACHE'));
    configure(
      folder,
      named.map(([key, value]) => [
        key.replace('CACHE', cache),
        value === 'C' ? snare.command : value.replace('CACHE', cache),
      ]),
    );
    for (const repo of [folder, `file://${folder}`]) {
      const outcome = await prepareWorkspace({
        ...where,
        push: 'branch',
        task: { task_id: `t${repo.length}`, repo },
      });
      // A remote that cannot be read is a failure; nothing may have run either way.
      if (!outcome.ok && !grouped.has(names[0] ?? '')) continue;
      if (!outcome.ok) throw new Error(outcome.failure.message);
      const workspace = outcome.value;
      write(workspace.dir, { 'a.txt': 'changed\n', 'b.txt': 'new\n' });
      await treeIdOf(workspace);
      const tree = await workspace.checkOut('present');
      await workspace.commit('x');
      await workspace.publish();
      if (tree.ok) tree.value.release();
      await workspace.release({ keepBranch: true });
      if (repo === folder) expect(git(folder, '--no-pager', 'branch', '--list', 'sidecar/*')).not.toBe('');
    }
    expect(snare.sprung()).toBe(false);
  });
});

test('a file that is missing from a partial clone is not fetched with what the clone configures', async () => {
  const snare = trap();
  const origin = repository({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  const repo = temporaryFolder();
  git(repo, 'clone', '-q', '--filter=blob:none', '--no-checkout', `file://${origin}`, '.');
  // Ends at once, unlike a server that waits for what git says.
  writeFileSync(snare.command, `#!/bin/sh\ntouch ${snare.mark}\nexit 1\n`);
  git(repo, 'config', 'remote.origin.uploadpack', snare.command);
  const outcome = await prepareWorkspace({ ...places(), task: { task_id: 't', repo } });
  expect(outcome).toMatchObject({ ok: false, failure: { code: 'workspace_repo_incomplete' } });
  expect(snare.sprung()).toBe(false);
  // The trap is a real one.
  expect(() => git(repo, 'checkout', '-q', 'main')).toThrow();
  expect(snare.sprung()).toBe(true);
});

/** Parts of names by which git's documentation has commands, and the keys that have one and name none. */
const NAMES_A_COMMAND =
  /(?:cmd|command|program|editor|pager|helper|driver|textconv|tunnel|httpd|browser|hook|hooksPath|proxy|smudge|\.clean|process|vcs|receivepack|uploadpack|askPass|diffFilter|external|fsmonitor|smtpServer|templateDir|insteadOf|(?:include|includeIf.*|tool>)\.path)$/i;
const NAMES_NONE = new Set(['color.pager', 'column.clean', 'gitcvs.dbdriver']);

test('every key of this git that takes a command is among them', () => {
  const documented = execFileSync('git', ['help', '--config'], { encoding: 'utf8' })
    .split('\n')
    .filter((key) => NAMES_A_COMMAND.test(key) && !/^(?:advice|notes)\.|^url\..*push/.test(key));
  const shapeOf = (key: string) => {
    const [section = '', ...rest] = key.toLowerCase().split('.');
    return rest.length > 1 ? `${section}.*.${rest.at(-1)}` : `${section}.${rest[0]?.replace(/^<.*>$/, '*')}`;
  };
  const tried = new Set(
    Object.values(gitAttacks)
      .flat()
      .flatMap(([key]) => [shapeOf(key), `${key.split('.')[0]}.*`]),
  );
  expect(documented.length).toBeGreaterThan(30);
  const missing = documented.map(shapeOf).filter((key) => !tried.has(key) && !NAMES_NONE.has(key));
  expect(missing).toEqual([]);
});
