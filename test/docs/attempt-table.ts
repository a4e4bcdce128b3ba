/**
 * The lists of docs/SECURITY.md: what was tried, and what came of it with and without bubblewrap. Commands, git's
 * configuration and cheats are taken from the lists that their suites run; the rest is listed here with its test.
 */
import { attempts } from '../workspace/commands/escape-attempts.ts';
import { attacks } from '../corpus/toolchains/attacks.ts';
import { cheats } from '../solving/solve/proof/cheats.ts';
import { gitAttacks } from '../workspace/git-attacks.ts';

/** Kinds of attempts that suites have tests of their own for: each with the files, and the starts of the tests' names. */
export const ownTests: Readonly<Record<string, readonly (readonly [file: string, test: string])[]>> = {
  'paths that leave the workspace, hard links, FIFOs and devices that file tools meet': [
    ['workspace/files/files', 'refuses %s for every method'],
    ['workspace/files/files', 'leaves the other names of a hard link as they were'],
    ['workspace/files/files', 'refuses folders, pipes and other things that are no files'],
  ],
  'files and folders swapped for links between check and use': [
    ['workspace/files/race', 'a folder that became a link after the check'],
    ['workspace/files/race', 'a file that became a link after the check'],
    ['workspace/files/race', 'a folder that becomes a link while it is open'],
    ['workspace/files/race', 'under constant swapping'],
  ],
  'links in and above shared dependencies, and writing into these': [
    [
      'workspace/files/find-files',
      'follow a link into the workspace as commands do, and none that leaves it',
    ],
    ['workspace/files/find-files', 'never write or remove anything of it'],
    ['workspace/dependencies', 'that lead out of it share nothing'],
    ['workspace/dependencies', 'a copy borrows nothing through links'],
  ],
  'more processes, memory, disk or output than allowed': [
    ['workspace/commands/resources', 'more processes than allowed'],
    ['workspace/commands/resources', 'memory of many processes together'],
    ['workspace/commands/resources', 'one file has a largest size'],
    ['workspace/commands/resources', 'the folder of a task and its /tmp'],
    ['workspace/commands/resources', 'a machine that is out of memory'],
    ['workspace/commands/resources', 'output without an end'],
  ],
  'hooks, filters, drivers and configuration of sources, submodules, caches and git folders': [
    ['workspace/hostile-repositories', 'hooks, fsmonitor, filters and drivers configured in the source'],
    ['workspace/hostile-repositories', 'a git dir that the task put in the place of `.git`'],
    ['workspace/hostile-repositories', 'a `.git` file that the task pointed elsewhere'],
    ['workspace/hostile-repositories', 'a submodule whose git dir the task made'],
    ['workspace/hostile-repositories', 'configuration planted in the cache'],
    ['workspace/hostile-repositories', 'files of a repository made inside the folder'],
  ],
  'file names with newlines, quotes, options, patterns, invalid UTF-8, or that git obeys elsewhere (`GIT~1`)':
    [
      ['workspace/hostile-repositories', 'names with spaces, quotes, newlines'],
      ['workspace/hostile-repositories', 'a name that git refuses is left out'],
    ],
  'committed links to files of the host': [['workspace/hostile-repositories', 'links are kept as links']],
  'FIFOs in `.git`, in the worktree, and as `.gitignore` or `package.json`': [
    ['workspace/hostile-repositories', 'pipes do not hang it'],
    ['workspace/check-tree', '.git/%s of a source repository'],
    ['workspace/check-tree', 'files that tools and the brief read'],
  ],
  'attributes that re-encode, filter, merge or break': [
    ['workspace/hostile-repositories', 'attributes cannot re-encode, filter or fail a commit'],
    ['workspace/follow-ups', 'runs no filter and no merge driver'],
  ],
  'a partial clone’s program for fetching': [
    ['workspace/source-configuration', 'a file that is missing from a partial clone'],
  ],
  'a program called git in the PATH, and variables that steer git': [
    ['workspace/folders', 'is not a program of the work tree'],
    ['workspace/folders', 'gets nothing of the environment that could steer it'],
  ],
  'repositories borrowed by `.git` files, alternates, `commondir` or links': [
    ['workspace/commands/sandbox', 'is shown nothing that a `.git` of the task names'],
    ['workspace/sources', 'by %s'],
  ],
  'links above paths that are protected or shown': [
    ['workspace/commands/sandbox', 'is shown nothing by a link in the place of a folder'],
    ['workspace/commands/sandbox', 'makes nothing of the host by a link in /tmp'],
  ],
  'a home folder named by `~/`, `~/bin/..` or a link': [
    ['workspace/commands/sandbox', 'is not shown a home folder that a variable names as %j'],
  ],
  'logins in settings of git, Maven, shells and proxies, passwords in harmless variables': [
    ['workspace/commands/sandbox', 'settings of the machine are shown without logins'],
    ['workspace/commands/pure-parts', '%s with a secret in its value'],
  ],
  'characters that turn, hide or control text, on pages, terminals and in logs': [
    ['hub/dashboard/hostile', 'marks that turn text around are spelled out'],
    ['base/observability/observability', 'a terminal obeys nothing that a log line quotes'],
  ],
  'folders too deep for a path': [['workspace/folders', 'removes folders that are too deep for a path']],
  'a web page that reads metrics by its own host name': [
    ['worker/stopping', 'only hosts that are meant are answered'],
  ],
  'a result that chooses its follow-up’s worker, labels or permissions': [
    ['hub/queue-contract/people', 'what a submitter demanded, and did not'],
  ],
};

/** The lists as Markdown: what is stopped everywhere, what only bubblewrap stops, what is never called verified. */
export function attemptTable(): string {
  const others = Object.values(ownTests).flat().length;
  const total = attempts.length + attacks.length + Object.keys(gitAttacks).length + others;
  const commands = (alsoWithout: boolean) =>
    attempts.filter((one) => Boolean(one.alsoWithout) === alsoWithout).map(({ name }) => name);
  return [
    `${total} attempts to reach something, and ${cheats.length} to have checks pass without the work. Each has a test.`,
    list(
      'A command tries',
      'stopped under bubblewrap, may succeed without',
      commands(false),
      /^\w+ing (?=\S)/u,
    ),
    list('A command tries', 'stopped with and without', commands(true)),
    list(
      'A project names, to have more shown',
      'not shown under bubblewrap, may be read without',
      attacks.map(({ name }) => name),
    ),
    list('A repository’s git configuration has', 'stopped with and without', Object.keys(gitAttacks)),
    list('A repository, or a task through tools, has', 'stopped with and without', Object.keys(ownTests)),
    list(
      'A task, to pass its checks,',
      'not verified',
      cheats.map(({ name }) => name),
      /^\w+s (?=\S)/u,
    ),
  ].join('\n\n');
}

function list(title: string, outcome: string, names: readonly string[], verb?: RegExp): string {
  return `**${title}** (${outcome}): ${joined(names, verb)}.`;
}

/** Joins the names, and writes a verb that several begin with once. */
function joined(names: readonly string[], verb?: RegExp): string {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const begin = verb?.exec(name)?.[0] ?? name;
    groups.set(begin, [...(groups.get(begin) ?? []), name.slice(begin.length)]);
  }
  return [...groups].map(([begin, rest]) => begin + rest.join(', ')).join('; ');
}
