/**
 * Tests that need a system component: skipped by name with how to get it, or a failure where
 * REQUIRE_COMPONENTS is set (continuous integration installs them all).
 */
import { spawnSync } from 'node:child_process';
import { describe, test } from '@jest/globals';
import { chromiumPath } from './chromium.ts';

interface Requirement {
  works: () => boolean;
  howToGet: string;
  /** Not to be had on every machine that runs all the rest: skipped with a word even where components are required. */
  mayBeMissing?: boolean;
}

const toolChain = (program: string, ...args: string[]): Requirement => ({
  works: () => spawnSync(program, args, { stdio: 'ignore' }).status === 0,
  howToGet: `install ${program}`,
  mayBeMissing: true,
});

const components = {
  bubblewrap: {
    works: () =>
      spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--dev', '/dev', 'true'], {
        stdio: 'ignore',
      }).status === 0,
    howToGet: 'apt-get install bubblewrap (and allow user namespaces)',
  },
  chromium: {
    works: () => {
      const path = chromiumPath();
      return path !== undefined && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;
    },
    howToGet: 'apt-get install chromium-headless-shell (or chromium)',
  },
  'git-lfs': {
    works: () => spawnSync('git', ['lfs', 'version'], { stdio: 'ignore' }).status === 0,
    howToGet: 'apt-get install git-lfs',
  },
  postgresql: {
    works: () =>
      spawnSync('sh', ['-c', 'command -v pg_ctl || ls /usr/lib/postgresql/*/bin/pg_ctl'], { stdio: 'ignore' })
        .status === 0,
    howToGet: 'apt-get install postgresql',
  },
  'pseudo-terminals': {
    // That of util-linux; others have other flags.
    works: () => spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0,
    howToGet: 'apt-get install bsdutils',
  },
  'user namespaces': {
    works: () =>
      spawnSync('unshare', ['--user', '--map-user=12345', 'true'], { stdio: 'ignore' }).status === 0,
    howToGet: 'apt-get install util-linux (and allow user namespaces)',
    mayBeMissing: true,
  },
  'small disks': {
    works: () =>
      spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'], { stdio: 'ignore' }).status ===
      0,
    howToGet: 'apt-get install util-linux (and allow user namespaces that mount)',
    mayBeMissing: true,
  },
  python3: toolChain('python3', '-m', 'venv', '--help'),
  uv: toolChain('uv', '--version'),
  pnpm: toolChain('pnpm', '--version'),
  go: toolChain('go', 'version'),
  cargo: toolChain('cargo', '--version'),
  mvn: toolChain('mvn', '--version'),
} satisfies Record<string, Requirement>;
export type Component = keyof typeof components;

/** Asked once in each suite. */
const found = new Map<Component, boolean>();

/** `describe` for tests that need `component`. */
export function describeWith(component: Component, title: string, body: () => void): void {
  const { works, howToGet, mayBeMissing }: Requirement = components[component];
  const isThere = found.get(component) ?? works();
  found.set(component, isThere);
  if (isThere) {
    describe(title, body);
    return;
  }
  if (process.env.REQUIRE_COMPONENTS && !mayBeMissing) {
    test(`${title}: needs ${component}`, () => {
      throw new Error(`${component} is required here and does not work: ${howToGet}`);
    });
    return;
  }
  describe(title, () => {
    test.skip(`skipped: needs ${component} (${howToGet})`, () => undefined);
  });
}
