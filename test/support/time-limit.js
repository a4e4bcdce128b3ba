/**
 * A reporter that ends a run of tests that hangs: after the limit it names the suites that have not ended, ends them and
 * exits with 1. Jest's own limits cannot end a test that never gives the processor back.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const DEFAULT_LIMIT_MINUTES = 30;

export default class TimeLimit {
  #running = new Map();
  #timer;

  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunStart() {
    const minutes = Number(process.env.TEST_LIMIT_MINUTES ?? DEFAULT_LIMIT_MINUTES);
    this.#timer = setTimeout(() => this.#end(minutes), minutes * 60_000);
  }

  onTestFileStart({ path }) {
    this.#running.set(path, performance.now());
  }

  onTestFileResult({ path }) {
    this.#running.delete(path);
  }

  onRunComplete() {
    clearTimeout(this.#timer);
  }

  #end(minutes) {
    const now = performance.now();
    const lines = [...this.#running].map(
      ([path, since]) =>
        `  ${relative(this.rootDir, path)}, begun ${Math.round((now - since) / 1000)} s ago\n`,
    );
    process.stderr.write(
      `The tests did not end within ${minutes} minutes (TEST_LIMIT_MINUTES). Not ended:\n${lines.join('')}`,
    );
    for (const pid of descendants(process.pid)) kill(pid);
    process.exit(1);
  }
}

/** All processes below `parent`: Jest's workers, and the programs that their tests started. */
function descendants(parent) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
  const below = (pid) =>
    parents.filter(([, of]) => of === pid).flatMap(([child]) => [child, ...below(child)]);
  return below(parent);
}

function parentOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]);
  } catch {
    return undefined;
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
