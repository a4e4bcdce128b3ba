/** Defines the schema of the settings `workspace.*` and `sandbox.*`. */
import * as z from 'zod';
import { describeRareSetting } from './rare-setting.ts';

const positiveInteger = z.number().int().positive();
const stringList = z.array(z.string()).default([]);

export const workspaceShape = {
  push: z
    .enum(['never', 'branch'])
    .default('never')
    .describe('branch: push the branch of a task to a repository that was fetched over the network'),
  share: z
    .union([z.enum(['auto', 'off']), z.array(z.string())], {
      error: 'write "auto", "off" or a list of folders, e.g. ["node_modules"]',
    })
    .default('auto')
    .describe(
      'Folders of dependencies that a worktree shares with its local repository; auto: node_modules, .venv and others that git ignores',
    ),
  prepare: stringList.describe(
    'Commands that install dependencies, e.g. ["npm ci"]; run with network access, once for each state of the lock files',
  ),
  allowedRepos: stringList.describe(
    'Globs of repositories that tasks may use, e.g. ["/home/me/*"]; empty: all',
  ),
  keepPartialDays: z
    .number()
    .positive()
    .default(14)
    .meta(
      describeRareSetting(
        'How many days the worker retains branches of tasks and unused repositories in its cache',
      ),
    ),
  warmTrees: z
    .number()
    .int()
    .nonnegative()
    .default(2)
    .describe('Number of worktrees per repository that a worker retains for later tasks, for a day; 0: none'),
};

export const sandboxShape = {
  mode: z
    .enum(['auto', 'required', 'off'])
    .default('auto')
    .describe(
      'Whether bubblewrap confines commands; auto: if it works; required: the worker does not start without it',
    ),
  unconfined: z
    .enum(['refuse', 'allow'])
    .default('refuse')
    .describe('Whether a worker without bubblewrap runs tasks of a hub on another machine'),
  network: z.boolean().default(false).describe('Whether commands in the sandbox have network access'),
  read: stringList.describe('Further files and folders that commands may read, e.g. ["/opt/sdk"]'),
  env: stringList.describe('Further environment variables of the worker that commands get, e.g. ["MY_*"]'),
  maxProcesses: positiveInteger
    .default(512)
    .meta(describeRareSetting('Maximum number of processes of a command (with cgroup v2: of a task)')),
  maxFileBytes: positiveInteger
    .default(4 * 1024 ** 3)
    .meta(describeRareSetting('Maximum size of a file that a command writes, in bytes')),
  maxDiskBytes: positiveInteger
    .default(20 * 1024 ** 3)
    .meta(describeRareSetting('Maximum total size of a task’s folder and its /tmp, in bytes')),
  maxMemoryBytes: positiveInteger
    .default(8 * 1024 ** 3)
    .describe(
      'Memory limit in bytes of a process and of a command (with cgroup v2: of a task), at most half of the machine’s memory',
    ),
  maxCpuSeconds: positiveInteger
    .default(600)
    .meta(describeRareSetting('CPU time limit of one process, in seconds')),
};
