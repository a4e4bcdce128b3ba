/**
 * The lists of docs/SECURITY.md: what was tried, and what came of it with and without bubblewrap. Commands, git's
 * configuration and cheats are taken from the lists that their suites run; the rest is listed here with its test.
 */
import { attempts } from '../commands/escape-attempts.ts';
import { attacks } from '../corpus/toolchains/attacks.ts';
import { cheats } from '../solve/proof/cheats.ts';
import { gitAttacks } from '../workspace/git-attacks.ts';

/** Attempts that a suite has a test of its own for: the file, the start of the test's name, what was tried. */
export const ownTests: readonly (readonly [file: string, test: string, attempt: string])[] = [
  [
    'files/files',
    'refuses %s for every method',
    'a file tool that leaves the workspace by `..`, an absolute path or a link',
  ],
  [
    'files/files',
    'leaves the other names of a hard link as they were',
    'a file tool that writes through a hard link',
  ],
  [
    'files/files',
    'refuses folders, pipes and other things that are no files',
    'a FIFO, a device or a folder where a file is read',
  ],
  [
    'files/race',
    'a folder that became a link after the check',
    'a folder swapped for a link between check and use',
  ],
  [
    'files/race',
    'a file that became a link after the check',
    'a file swapped for a link between check and use',
  ],
  [
    'files/race',
    'a folder that becomes a link while it is open',
    'a folder swapped for a link while it is open',
  ],
  ['files/race', 'under constant swapping', 'links swapped all the time beside the file tools'],
  [
    'files/find-files',
    'follow a link into the workspace as commands do, and none that leaves it',
    'a link in shared dependencies that leads out',
  ],
  [
    'files/find-files',
    'never write or remove anything of it',
    'writing into the shared dependencies of the repository',
  ],
  ['commands/resources', 'more processes than allowed', 'more processes than allowed, by a loop'],
  [
    'commands/resources',
    'memory of many processes together',
    'memory of many processes, each below the limit',
  ],
  ['commands/resources', 'one file has a largest size', 'a file of 100 GB, sparse or written'],
  ['commands/resources', 'the folder of a task and its /tmp', 'many files that fill the disk together'],
  ['commands/resources', 'a machine that is out of memory', 'memory of the whole machine'],
  ['commands/resources', 'output without an end', 'output without an end'],
  [
    'workspace/hostile-repositories',
    'hooks, fsmonitor, filters and drivers configured in the source',
    'hooks, filters and drivers of the source repository',
  ],
  [
    'workspace/hostile-repositories',
    'a git dir that the task put in the place of `.git`',
    'a task’s own git folder in the place of `.git`',
  ],
  [
    'workspace/hostile-repositories',
    'a `.git` file that the task pointed elsewhere',
    'a `.git` file that points to another repository',
  ],
  [
    'workspace/hostile-repositories',
    'a submodule whose git dir the task made',
    'a submodule with hooks and filters of the task’s',
  ],
  [
    'workspace/hostile-repositories',
    'configuration planted in the cache',
    'configuration planted in the worker’s cache',
  ],
  [
    'workspace/hostile-repositories',
    'files of a repository made inside the folder',
    'a repository in the repository, with hooks',
  ],
  [
    'workspace/hostile-repositories',
    'names with spaces, quotes, newlines',
    'file names with newlines, quotes, options, patterns and bytes that are no UTF-8',
  ],
  [
    'workspace/hostile-repositories',
    'a name that git refuses is left out',
    'names that git obeys on other systems (`GIT~1`, a link `.gitmodules`)',
  ],
  ['workspace/hostile-repositories', 'links are kept as links', 'committed links to files of the host'],
  ['workspace/hostile-repositories', 'pipes do not hang it', 'a FIFO in the worktree while it is committed'],
  [
    'workspace/hostile-repositories',
    'attributes cannot re-encode, filter or fail a commit',
    'attributes that re-encode, filter or break a commit',
  ],
  [
    'workspace/source-configuration',
    'a file that is missing from a partial clone',
    'a partial clone that has git fetch with its program',
  ],
  [
    'workspace/check-tree',
    '.git/%s of a source repository',
    'a FIFO in the place of HEAD, index, alternates and other files of `.git`',
  ],
  [
    'workspace/check-tree',
    'files that tools and the brief read',
    'a FIFO in the place of `.gitignore` or `package.json`',
  ],
  [
    'workspace/folders',
    'is not a program of the work tree',
    'a program with the name of git, in a relative folder of the PATH',
  ],
  [
    'workspace/folders',
    'gets nothing of the environment that could steer it',
    'variables of the worker that steer git',
  ],
  [
    'workspace/dependencies',
    'that lead out of it share nothing',
    'links in the place of shared dependencies or above them',
  ],
  [
    'workspace/dependencies',
    'a copy borrows nothing through links',
    'a link above the dependencies that checks borrow',
  ],
  [
    'commands/sandbox',
    'is shown nothing that a `.git` of the task names',
    'alternates in a `.git` of its own',
  ],
  [
    'commands/sandbox',
    'is shown nothing by a link in the place of a folder',
    'a link above a protected path',
  ],
  [
    'commands/sandbox',
    'is not shown a home folder that a variable names as %j',
    'a home folder that a variable names in another way (`~/`, `~/bin/..`, a link)',
  ],
  [
    'commands/sandbox',
    'settings of the machine are shown without logins',
    'logins in the machine’s settings of git, Maven, shells and proxies',
  ],
  ['commands/sandbox', 'makes nothing of the host by a link in /tmp', 'a link above what is shown in /tmp'],
  [
    'workspace/sources',
    'by %s',
    'a folder among the allowed repositories that borrows another (`.git` file, `commondir`, alternates, links)',
  ],
  [
    'hub/dashboard/hostile',
    'marks that turn text around are spelled out',
    'characters that turn or hide text (U+202E), on pages and terminals',
  ],
  [
    'observability/observability',
    'a terminal obeys nothing that a log line quotes',
    'control characters in what a log line quotes',
  ],
  [
    'workspace/folders',
    'removes folders that are too deep for a path',
    'folders too deep to be removed by path',
  ],
  [
    'commands/pure-parts',
    '%s with a secret in its value',
    'passwords inside of harmless variables of the worker',
  ],
  [
    'workspace/follow-ups',
    'runs no filter and no merge driver',
    'filters and merge drivers in the attributes of a result that is merged',
  ],
  [
    'worker/stopping',
    'only hosts that are meant are answered',
    'a web page that reads the worker’s metrics by a name of its own',
  ],
  [
    'hub/queue-contract/people',
    'what a submitter demanded, and did not',
    'a result that chooses worker, labels or permissions of its follow-up',
  ],
];

/** The lists as Markdown: what is stopped everywhere, what only bubblewrap stops, what is never called verified. */
export function attemptTable(): string {
  const others = ownTests.map(([, , attempt]) => attempt);
  const total = attempts.length + attacks.length + Object.keys(gitAttacks).length + others.length;
  const commands = (alsoWithout: boolean) =>
    attempts.filter((one) => Boolean(one.alsoWithout) === alsoWithout).map(({ name }) => name);
  return [
    `${total} attempts to reach something, and ${cheats.length} to have checks pass without the work. Each has a test.`,
    list('A command of a task tries', 'stopped under bubblewrap, may succeed without', commands(false)),
    list('A command of a task tries', 'stopped with and without bubblewrap', commands(true)),
    list(
      'A project names, to have more shown',
      'nothing is shown under bubblewrap; it may be read without',
      attacks.map(({ name }) => name),
    ),
    list('A repository’s git configuration has', 'stopped with and without', Object.keys(gitAttacks)),
    list('A repository, or a task through the tools, has', 'stopped with and without', others),
    list(
      'A task passes its checks, since',
      'not verified',
      cheats.map(({ name }) => name),
    ),
  ].join('\n\n');
}

const list = (title: string, outcome: string, names: readonly string[]): string =>
  `**${title}** (${outcome}): ${names.join('; ')}.`;
