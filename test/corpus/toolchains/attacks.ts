/** What the files of a project name to have a folder of the host shown to its commands. */
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { write } from '../../workspace/repositories.ts';

export const SECRET = 'precious-51c9';

interface Ground {
  repo: string;
  home: string;
  /** The worker's own folder. */
  state: string;
}

/** A folder that looks like an interpreter, with a secret in its library. */
export function python(prefix: string): void {
  write(prefix, { 'bin/python3': '#!/bin/sh\n', 'lib/python3.9/os.py': '', 'lib/token': SECRET });
  chmodSync(join(prefix, 'bin/python3'), 0o755);
}

const venv = (repo: string, home: string) => write(repo, { '.venv/pyvenv.cfg': `home = ${home}\n` });
const link = (repo: string, name: string, target: string) => {
  mkdirSync(join(repo, 'node_modules'), { recursive: true });
  symlinkSync(target, join(repo, 'node_modules', name));
};

interface Attack {
  name: string;
  make: (ground: Ground) => void;
  /** What may not be seen; by default `.ssh` and `.aws` of the home folder. */
  target?: (ground: Ground) => string;
}

export const attacks: readonly Attack[] = [
  { name: 'a `pyvenv.cfg` that names `~/.ssh`', make: ({ repo, home }) => venv(repo, join(home, '.ssh')) },
  {
    name: 'an interpreter in `~/.ssh`',
    make: ({ repo, home }) => {
      python(join(home, '.ssh'));
      venv(repo, join(home, '.ssh/bin'));
    },
  },
  {
    name: 'a `pyvenv.cfg` that leaves its folder by `..`',
    make: ({ repo, home }) => venv(repo, join(home, '.pyenv/versions') + '/../../.ssh/bin'),
  },
  {
    name: 'an interpreter whose library links to `~/.aws`',
    make: ({ repo, home }) => {
      python(join(home, '.aws'));
      write(home, { 'tool/bin/python3': '' });
      chmodSync(join(home, 'tool/bin/python3'), 0o755);
      symlinkSync('../.aws/lib', join(home, 'tool/lib'));
      venv(repo, join(home, 'tool/bin'));
    },
  },
  {
    name: 'a home folder that looks like an interpreter',
    make: ({ repo, home }) => {
      python(home);
      venv(repo, join(home, 'bin'));
    },
    target: ({ home }) => join(home, 'lib'),
  },
  {
    name: 'a linked home folder that looks so',
    make: ({ repo, home }) => {
      python(`${home}-real`);
      rmSync(home, { recursive: true });
      symlinkSync(`${home}-real`, home);
      venv(repo, `${home}-real/bin`);
    },
    target: ({ home }) => `${home}-real/lib`,
  },
  {
    name: 'an interpreter in the worker’s folders',
    make: ({ repo, state }) => {
      python(join(state, 'other-task'));
      venv(repo, join(state, 'other-task/bin'));
    },
    target: ({ state }) => join(state, 'other-task/lib'),
  },
  {
    name: '`.venv/bin/python` linked to `~/.ssh`',
    make: ({ repo, home }) => {
      python(join(home, '.ssh'));
      mkdirSync(join(home, '.pyenv/versions'), { recursive: true });
      symlinkSync('../../.ssh', join(home, '.pyenv/versions/3.9'));
      mkdirSync(join(repo, '.venv/bin'), { recursive: true });
      symlinkSync(join(home, '.pyenv/versions/3.9/bin/python3'), join(repo, '.venv/bin/python'));
    },
  },
  {
    name: 'one at home by /proc/self/root or a link',
    make: ({ repo, home }) => {
      python(join(home, 'tool'));
      venv(repo, join('/proc/self/root', home, 'tool/bin'));
      symlinkSync(join(home, 'tool'), join(repo, 'tool'));
      mkdirSync(join(repo, 'venv'));
      write(repo, { 'venv/pyvenv.cfg': `home = ${repo}/tool/bin\n` });
    },
    target: ({ home }) => join(home, 'tool/lib'),
  },
  {
    name: 'a package linked to `~/.aws`',
    make: ({ repo, home }) => link(repo, 'aws', join(home, '.aws')),
  },
  { name: 'a package linked to `/`', make: ({ repo }) => link(repo, 'all', '/') },
  {
    name: 'a package that leaves pnpm’s store',
    make: ({ repo, home }) => {
      write(home, { '.ssh/package.json': '{}', '.local/share/pnpm/store/v10/links/left/index.js': '' });
      symlinkSync('/', join(home, '.local/share/pnpm/store/v10/links/all'));
      link(repo, 'left', join(home, '.local/share/pnpm/store/v10/links/all', home, '.ssh'));
    },
  },
  {
    name: '`node_modules` and `.venv` as links',
    make: ({ repo, home }) => {
      symlinkSync(join(home, '.aws'), join(repo, 'node_modules'));
      symlinkSync(join(home, '.ssh'), join(repo, '.venv'));
    },
  },
  {
    name: '`go.env`, `.env` or `go.mod` to another cache',
    make: ({ repo, home }) => {
      const setting = `GOMODCACHE=${home}/.ssh\nGOPATH=${home}/.aws\n`;
      write(repo, { 'go.env': setting, '.env': setting, '.config/go/env': setting });
      write(repo, { 'go.mod': `module a\n\nreplace example.org/b => ${home}/.ssh\n` });
    },
  },
  {
    name: '`.cargo/config.toml` or `.mvn/maven.config` to another cache',
    make: ({ repo, home }) => {
      const config = `[env]\nCARGO_HOME = "${home}/.aws"\n[source.crates-io]\nreplace-with = "v"\n[source.v]\ndirectory = "${home}/.ssh"\n`;
      write(repo, { 'Cargo.toml': '', '.cargo/config.toml': config });
      write(repo, { 'pom.xml': '', '.mvn/maven.config': `-Dmaven.repo.local=${home}/.aws` });
    },
  },
  {
    name: 'credentials beside their caches',
    make: ({ repo, home }) => {
      write(repo, { 'Cargo.toml': '', 'pom.xml': '' });
      write(home, { '.cargo/registry/a': '', '.cargo/credentials.toml': SECRET });
      write(home, { '.m2/repository/a': '', '.m2/settings.xml': SECRET });
    },
    target: ({ home }) => `${join(home, '.cargo/credentials.toml')} ${join(home, '.m2/settings.xml')}`,
  },
];
