/** Control groups for commands: found and made on a tree of ordinary files, entered by real processes. */
import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGroups, makeGroup, prepareGroups, throughGroup } from '../../sidecar/commands/command-group.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

/** Files as the kernel shows them for a group that is delegated. */
function delegated(controllers = 'cpu memory pids') {
  const tree = folder();
  const self = join(tree, 'self');
  const own = join(tree, 'system.slice/worker.service');
  mkdirSync(own, { recursive: true });
  writeFileSync(self, '12:pids:/x\n0::/system.slice/worker.service\n');
  writeFileSync(join(own, 'cgroup.controllers'), `${controllers}\n`);
  for (const name of ['cgroup.procs', 'cgroup.subtree_control']) writeFileSync(join(own, name), '');
  return { tree, self, own };
}

describe('where groups can be made', () => {
  test('is the group of this process, if it is delegated', () => {
    const { tree, self, own } = delegated();
    expect(findGroups({ tree, self })).toEqual({ available: true, folder: own });
  });

  test('stays the same when the worker has moved into a group of its own', () => {
    const { tree, self, own } = delegated();
    writeFileSync(self, '0::/system.slice/worker.service/ollama-sidecar-worker\n');
    expect(findGroups({ tree, self })).toEqual({ available: true, folder: own });
  });

  test('is nowhere without the controllers, without cgroup v2, and where nothing may be written', () => {
    const { tree, self } = delegated('cpu');
    expect(findGroups({ tree, self })).toMatchObject({ reason: expect.stringContaining('memory and pids') });
    expect(findGroups({ tree, self: join(tree, 'none') })).toMatchObject({
      reason: expect.stringContaining('no cgroup v2'),
    });
    const other = delegated();
    chmodSync(join(other.own, 'cgroup.procs'), 0o400);
    const asked = findGroups(other);
    // Root may write whatever the mode says.
    if (process.getuid?.() !== 0)
      expect(asked).toMatchObject({ reason: expect.stringContaining('delegated') });
  });
});

test('the worker moves out of the way before the controllers are switched on', () => {
  const { tree, self, own } = delegated();
  mkdirSync(join(own, 'commands-1-left'));
  mkdirSync(join(own, 'ollama-sidecar-worker'));
  expect(prepareGroups(findGroups({ tree, self }), 4711)).toEqual({ available: true, folder: own });
  expect(readFileSync(join(own, 'ollama-sidecar-worker/cgroup.procs'), 'utf8')).toBe('4711');
  expect(readFileSync(join(own, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
  expect(existsSync(join(own, 'commands-1-left'))).toBe(false);
});

test('a group has the limits, counts what ran out of memory, and is refused without a throw', () => {
  const { own } = delegated();
  const group = makeGroup(own, 'a', { maxMemoryBytes: 64_000_000, maxProcesses: 64 });
  const at = (name: string) => join(own, 'commands-a', name);
  const values = ['memory.max', 'pids.max', 'memory.oom.group', 'memory.swap.max'].map((name) =>
    readFileSync(at(name), 'utf8'),
  );
  expect(values).toEqual(['64000000', '64', '1', '0']);
  expect(group?.memoryKills()).toBe(0);
  writeFileSync(at('memory.events'), 'low 0\noom 3\noom_kill 2\noom_group_kill 1\n');
  expect(group?.memoryKills()).toBe(2);
  expect(makeGroup(join(own, 'missing'), 'a', { maxMemoryBytes: 1, maxProcesses: 1 })).toBeUndefined();
});

test('a command enters the group before it begins, and runs without one too', () => {
  const entry = join(folder(), 'cgroup.procs');
  const [file, ...args] = throughGroup(entry, ['printf', '%s', "it's $HOME"]);
  expect(execFileSync(file, args, { encoding: 'utf8' })).toBe("it's $HOME");
  expect(readFileSync(entry, 'utf8')).toBe('0\n');
  const [other, ...rest] = throughGroup(join(folder(), 'no/such'), ['printf', 'ran']);
  expect(execFileSync(other, rest, { encoding: 'utf8', stdio: 'pipe' })).toBe('ran');
});
