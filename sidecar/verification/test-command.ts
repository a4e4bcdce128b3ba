/**
 * Which command runs a project's tests, for `test_passes` with target `auto`. Only what
 * is really there counts: a package.json with npm's own placeholder script has no tests.
 */
import { isRecord, parseJson } from '../values/json.ts';
import type { ExecutionEnvironment } from '../ports.ts';

type Files = Pick<ExecutionEnvironment, 'fileExists' | 'readFile' | 'glob'>;

const commands = {
  npm: 'CI=1 npm_config_update_notifier=false npm test --silent',
  mix: 'mix test',
  make: 'make test',
  pytest: 'python3 -m pytest -q',
  cargo: 'cargo test',
  go: 'go test ./...',
} as const;
type Runner = keyof typeof commands;

const detectors: readonly [Runner, (files: Files) => Promise<boolean>][] = [
  ['npm', hasTestScript],
  ['mix', (files) => files.fileExists('mix.exs')],
  ['make', hasTestTarget],
  ['pytest', hasPythonTests],
  ['cargo', (files) => files.fileExists('Cargo.toml')],
  ['go', (files) => files.fileExists('go.mod')],
];

/** The command for `target` (`auto`, empty, a runner's name or a command); undefined when `auto` finds nothing. */
export async function testCommand(target: string, files: Files): Promise<string | undefined> {
  if (target !== '' && target !== 'auto') {
    return Object.hasOwn(commands, target) ? commands[target as Runner] : target;
  }
  for (const [runner, detect] of detectors) {
    if (await detect(files)) return commands[runner];
  }
  return undefined;
}

async function hasTestScript(files: Files): Promise<boolean> {
  const manifest = parseJson(await read(files, 'package.json'));
  const scripts = isRecord(manifest) ? manifest.scripts : undefined;
  const script = isRecord(scripts) ? scripts.test : undefined;
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
}

async function hasTestTarget(files: Files): Promise<boolean> {
  for (const name of ['GNUmakefile', 'makefile', 'Makefile']) {
    if (/^test\s*:(?!=)/m.test(await read(files, name))) return true;
  }
  return false;
}

async function hasPythonTests(files: Files): Promise<boolean> {
  if ((await files.fileExists('pytest.ini')) || (await files.fileExists('conftest.py'))) return true;
  if (/^\[tool\.pytest/m.test(await read(files, 'pyproject.toml'))) return true;
  if (/^\[(tool:)?pytest\]/m.test(`${await read(files, 'setup.cfg')}\n${await read(files, 'tox.ini')}`))
    return true;
  return (await files.glob('**/{test_*,*_test}.py', { maxResults: 1 })).length > 0;
}

/** Empty when there is no such file, or none that can be read: then it says nothing about tests. */
async function read(files: Files, path: string): Promise<string> {
  if (!(await files.fileExists(path))) return '';
  return files.readFile(path).then(
    ({ text }) => text,
    () => '',
  );
}
