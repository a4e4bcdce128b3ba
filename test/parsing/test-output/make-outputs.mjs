// `node test/parsing/test-output/make-outputs.mjs [RUNNER…]`: installs the test runners in a temporary folder, runs the suites of
// `suites.mjs` with them and records what they print in `outputs/`. Paths of the machine are replaced; durations stay,
// for they are what real output has. Needs npm, python3, go, cargo, cmake, prove, gradle,
// mvn, rspec and phpunit (Debian's packages).
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suites } from './suites.mjs';

const npmPackages = ['jest@30', 'vitest@3', 'mocha@11', 'typescript@5', 'eslint@9', 'jest-junit@16', 'ava@6'];
const pythonPackages = ['pytest>=8', 'pytest-timeout>=2'];

const outputs = join(dirname(fileURLToPath(import.meta.url)), 'outputs');
/** A folder with the runners installed may be given, so that a second run takes seconds. */
const given = process.env.ESSENCE_RUNNERS;
const runners = given ?? realpathSync(mkdtempSync(join(tmpdir(), 'runners-')));
const work = realpathSync(mkdtempSync(join(tmpdir(), 'suites-')));
try {
  if (!existsSync(join(runners, '.venv'))) install();
  mkdirSync(outputs, { recursive: true });
  const wanted = process.argv.slice(2);
  for (const [runner, cases] of Object.entries(suites)) {
    if (wanted.length > 0 && !wanted.includes(runner)) continue;
    for (const [name, suite] of Object.entries(cases)) record(`${runner}-${name}`, suite);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
  if (!given) rmSync(runners, { recursive: true, force: true });
}

function install() {
  const inherit = { cwd: runners, stdio: 'inherit' };
  writeFileSync(join(runners, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...npmPackages], inherit);
  execFileSync('python3', ['-m', 'venv', '.venv'], inherit);
  execFileSync(join(runners, '.venv', 'bin', 'pip'), ['install', '-q', ...pythonPackages], inherit);
}

function record(name, { files, command, env = {} }) {
  const dir = join(work, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  symlinkSync(join(runners, 'node_modules'), join(dir, 'node_modules'));
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env;
  const { stdout, status } = spawnSync('bash', ['-c', `{ ${command}; } 2>&1`], {
    cwd: dir,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 64 * 2 ** 20,
    env: {
      ...inherited,
      ...env,
      CI: '1',
      CARGO_TARGET_DIR: join(work, 'target'),
      PATH: `${runners}/node_modules/.bin:${runners}/.venv/bin:${process.env.PATH}`,
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  if (status === 0 || status === null)
    throw new Error(`${name} should fail by itself (status ${status}):\n${stdout}`);
  writeFileSync(join(outputs, `${name}.txt`), withoutMachine(stdout, dir));
  console.log(name);
}

/** The same text on any machine: the workspace is `/workspace`, what the runners lie in `/opt/runners`. */
function withoutMachine(text, dir) {
  const pythonLib = /\/[^\s"']*\/lib\/python3\.\d+(?=\/)/g;
  return text
    .replaceAll(dir, '/workspace')
    .replaceAll(runners, '/opt/runners')
    .replaceAll(work, '/tmp')
    .replaceAll(/(\.\.\/)+(?:[\w.-]+\/)*runners[\w-]*\//g, '../opt/runners/')
    .replaceAll(pythonLib, '/usr/lib/python3.11')
    .replaceAll(process.env.HOME ?? '/root', '/home/user')
    .replaceAll(/hostname="[^"]*"/g, 'hostname="host"');
}
