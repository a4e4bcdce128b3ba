/**
 * From a submission to the first question to the model, in repositories of 100 to 10 000 files, or `BENCH_FILES`: of the first task, which
 * makes the mirror and the tree, and of later ones, which get both. The task has no checks.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chatsOf, openLab, openSession, type Lab, type Session } from './support/lab.ts';
import { median, type Figure } from './support/measure.ts';
import { commitAll, fillTree, PRICE_TASK } from './support/repositories.ts';

const RUNS = 2;
const SIZES = [
  { files: 100, processes: 3, target: '< 500' },
  { files: 10_000, processes: 2, target: '< 1000' },
  { files: 100_000, processes: 1, target: '< 4000' },
];
/** Checking out the largest takes git a minute and more on a slow disk. */
const largest = Number(process.env.BENCH_FILES ?? 10_000);

/** Milliseconds after the submission. */
interface Start {
  /** The task asks which models there are: worktree and environment are ready. */
  placedMs: number;
  /** The first question reached the model. */
  askedMs: number;
}

export async function bench(): Promise<Figure[]> {
  const lab = await openLab({ rounds: 0 });
  try {
    const figures: Figure[] = [];
    for (const { files, processes, target } of SIZES.filter((size) => size.files <= largest)) {
      const repo = makeRepository(lab.dir, files);
      const [first, later]: [Start[], Start[]] = [[], []];
      for (let count = 0; count < processes; count += 1) {
        const session = await openSession(lab, { sandbox: 'off', state: 'user' });
        // Loads the model and all modules.
        await start(session, lab.repos[0] ?? '');
        first.push(await start(session, repo));
        for (let run = 0; run < RUNS; run += 1) later.push(await start(session, repo));
        await session.child.end();
      }
      const name = `first question, ${files.toLocaleString('en').replace(',', ' ')} files`;
      figures.push(
        ...figuresOf(`${name}, no mirror yet`, first, target),
        ...figuresOf(`${name}, mirror there`, later, target),
        { name: '  `git worktree add` alone', value: median(bareCheckouts(lab, repo)), unit: 'ms' },
      );
    }
    return figures;
  } finally {
    await lab.close();
  }
}

function figuresOf(name: string, starts: readonly Start[], target: string): Figure[] {
  const middle = (of: (start: Start) => number) => median(starts.map(of));
  return [
    { name, value: middle(({ askedMs }) => askedMs), unit: 'ms', target },
    { name: '  of it: worktree, environment', value: middle(({ placedMs }) => placedMs), unit: 'ms' },
    {
      name: '  of it: model, brief',
      value: middle(({ placedMs, askedMs }) => askedMs - placedMs),
      unit: 'ms',
    },
  ];
}

async function start(session: Session, repo: string): Promise<Start> {
  const { answer, exchanges } = await session.run([repo], { task: PRICE_TASK });
  const since = (requestEndMs: number | undefined) => (requestEndMs ?? Number.NaN) - answer.startedMs;
  // The worker itself looks at its model server from time to time, with another request.
  const placed = exchanges.find(({ path }) => path === '/api/tags');
  return { placedMs: since(placed?.requestEndMs), askedMs: since(chatsOf(exchanges)[0]?.requestEndMs) };
}

function makeRepository(parent: string, files: number): string {
  const dir = join(parent, `tree-${files}`);
  mkdirSync(dir);
  fillTree(dir, files);
  commitAll(dir);
  return dir;
}

/** What git itself takes, with its own settings. */
function bareCheckouts(lab: Lab, repo: string): number[] {
  return Array.from({ length: RUNS }, (_, run) => {
    const dir = join(lab.dir, `bare-${run}`);
    const startedMs = performance.now();
    execFileSync('git', ['-C', repo, 'worktree', 'add', '--quiet', '--detach', dir]);
    const tookMs = performance.now() - startedMs;
    execFileSync('git', ['-C', repo, 'worktree', 'remove', '--force', dir]);
    return tookMs;
  });
}
