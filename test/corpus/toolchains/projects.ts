/** Small projects that need something of this machine outside of them, each made by the real tool without network. */
import { execFileSync } from 'node:child_process';
import { realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Component } from '../../support/requirements.ts';
import { git, write } from '../../workspace/repositories.ts';

export interface Place {
  /** The project; an empty folder. */
  repo: string;
  /** The home of whoever owns it. */
  home: string;
  /** Runs a program of theirs in the project; gives what it prints. */
  run: (program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => string;
}

export interface Project {
  name: string;
  needs: Component;
  make: (place: Place) => void;
  /** A check that passes only with what lies outside. */
  check: string;
}

const IGNORED = '.venv\nnode_modules\ntarget\n';
const pythonTest =
  'import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        import json\n';

/** The interpreter itself, not a script that finds it. */
const pythonOf = ({ run }: Place): string =>
  run('python3', ['-c', 'import os, sys; print(os.path.realpath(sys.executable))']).trim();

export const projects: readonly Project[] = [
  {
    name: 'a .venv of a Python that is not on the PATH',
    needs: 'python3',
    make: (place) => {
      write(place.repo, { '.gitignore': IGNORED, 'test_it.py': pythonTest });
      place.run(pythonOf(place), ['-m', 'venv', '--without-pip', '.venv']);
      write(place.repo, { '.venv/lib/left.py': 'pad = 1\n' });
    },
    check: 'PYTHONPATH=.venv/lib .venv/bin/python -c "import left" && .venv/bin/python -m unittest',
  },
  {
    name: 'a .venv of uv, whose Python has an alias in the home folder',
    needs: 'uv',
    make: (place) => {
      write(place.repo, { '.gitignore': IGNORED, 'test_it.py': pythonTest });
      write(place.home, { '.local/share/uv/python/.gitignore': '*' });
      const alias = join(place.home, '.local/share/uv/python/cpython-3-linux');
      symlinkSync(dirname(dirname(pythonOf(place))), alias);
      place.run('uv', ['venv', '--quiet', '--offline', '--python', join(alias, 'bin/python3'), '.venv']);
    },
    check: '.venv/bin/python -m unittest',
  },
  {
    name: 'a package that is installed as editable into a .venv',
    needs: 'python3',
    make: (place) => {
      write(place.repo, { '.gitignore': IGNORED, 'src/left/__init__.py': 'pad = 1\n' });
      place.run(pythonOf(place), ['-m', 'venv', '--without-pip', '.venv']);
      const print = 'import sysconfig; print(sysconfig.get_path("purelib"))';
      const packages = place.run(join(place.repo, '.venv/bin/python'), ['-c', print]).trim();
      write(packages, { '__editable__.left.pth': `${realpathSync(place.repo)}/src\n` });
    },
    // What is imported lies beside what the task wrote, and git's folder is guarded there as well.
    check: `.venv/bin/python -c 'import left, pathlib as p; r = p.Path(left.__file__).parents[2]; (r / "done.txt").read_text()' && ! sh -c "echo x > $(.venv/bin/python -c 'import left, pathlib as p; print(p.Path(left.__file__).parents[2])')/.git" 2>&-`,
  },
  {
    name: 'packages that pnpm installed from its store',
    needs: 'pnpm',
    make: ({ repo, home, run }) => {
      write(home, {
        'left/package.json': '{"name":"left","version":"1.0.0"}',
        'left/index.js': 'exports.pad = 1',
      });
      run('npm', ['pack', '--silent', join(home, 'left')]);
      write(repo, {
        '.gitignore': IGNORED,
        'package.json': '{"name":"p","dependencies":{"left":"file:left-1.0.0.tgz"}}',
      });
      run('pnpm', ['install', '--offline']);
    },
    check: `node -e "require('left').pad || process.exit(1)"`,
  },
  {
    name: 'a module in the cache of Go',
    needs: 'go',
    make: ({ repo, home, run }) => {
      const module = 'module example.org/left\n\ngo 1.20\n';
      const files = { 'go.mod': module, 'left.go': 'package left\n\nconst Pad = 1\n' };
      const version = 'example.org/left@v1.0.0';
      write(join(home, version), files);
      const proxy = join(home, 'proxy/example.org/left/@v');
      write(proxy, { list: 'v1.0.0\n', 'v1.0.0.info': '{"Version":"v1.0.0"}', 'v1.0.0.mod': module });
      const zip =
        'import os, sys, zipfile as z; a = z.ZipFile(sys.argv[1], "w"); [a.write(os.path.join(sys.argv[2], f), f) for f in sys.argv[3:]]';
      const names = Object.keys(files).map((name) => `${version}/${name}`);
      run('python3', ['-c', zip, join(proxy, 'v1.0.0.zip'), home, ...names]);
      write(repo, {
        'go.mod': 'module example.org/right\n\ngo 1.20\n\nrequire example.org/left v1.0.0\n',
        'right.go': 'package right\n\nimport "example.org/left"\n\nconst Pad = left.Pad\n',
      });
      const env = { GOPROXY: `file://${home}/proxy`, GOSUMDB: 'off', GOFLAGS: '-mod=mod -modcacherw' };
      run('go', ['mod', 'tidy'], env);
      run('go', ['mod', 'download'], env);
    },
    check: `go list -deps ./... | grep -x example.org/left`,
  },
  {
    name: 'a crate in the cache of Cargo',
    needs: 'cargo',
    make: ({ repo, home, run }) => {
      const crate = join(home, 'crate');
      write(crate, {
        'Cargo.toml': '[package]\nname = "left"\nversion = "1.0.0"\n',
        'src/lib.rs': 'pub const PAD: u8 = 1;\n',
      });
      git(crate, 'init', '-q', '-b', 'main');
      git(crate, 'add', '-A');
      git(crate, 'commit', '-qm', 'crate');
      write(repo, {
        '.gitignore': IGNORED,
        'Cargo.toml': `[package]\nname = "right"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nleft = { git = "file://${crate}" }\n`,
        'src/lib.rs': 'pub use left::PAD;\n',
      });
      run('cargo', ['fetch', '--quiet']);
    },
    check: 'cargo check --offline --quiet',
  },
  {
    name: 'a parent in the repository of Maven',
    needs: 'mvn',
    make: ({ repo, home }) => {
      const pom = (rest: string) =>
        `<project><modelVersion>4.0.0</modelVersion>${rest}<packaging>pom</packaging></project>`;
      const left = '<groupId>org.example</groupId><artifactId>left</artifactId><version>1</version>';
      write(home, { '.m2/repository/org/example/left/1/left-1.pom': pom(left) });
      write(repo, {
        'pom.xml': pom(`<parent>${left}<relativePath/></parent><artifactId>right</artifactId>`),
      });
    },
    check: 'mvn --offline --quiet --batch-mode validate',
  },
];

/** Runs a program in the project as its owner would. */
export const runner =
  (repo: string, variables: NodeJS.ProcessEnv): Place['run'] =>
  (program, args, env = {}) =>
    execFileSync(program, args, { cwd: repo, env: { ...variables, ...env }, encoding: 'utf8' });
