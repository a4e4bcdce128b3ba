/**
 * Finds the command that runs a project's tests, for `test_passes` with target `auto`. npm's placeholder script does not count as a test.
 */
import { isRecord, parseJson } from '../../base/values/json.ts';
import type { ExecutionEnvironment } from '../../base/ports.ts';

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

/** Files that indicate a runner by their presence or by their content. */
const RUNNER_SIGNS: readonly [Runner, paths: readonly string[], holding?: RegExp][] = [
  ['mix', ['mix.exs']],
  ['make', ['GNUmakefile', 'makefile', 'Makefile'], /^test\s*:(?!=)/m],
  ['pytest', ['pytest.ini', 'conftest.py']],
  ['pytest', ['pyproject.toml'], /^\[tool\.pytest/m],
  ['pytest', ['setup.cfg', 'tox.ini'], /^\[(tool:)?pytest\]/m],
  ['pytest', ['**/{test_*,*_test}.py']],
  ['cargo', ['Cargo.toml']],
  ['go', ['go.mod']],
];

/** Returns the command for `target` (`auto`, empty, the name of a runner, or a command). Returns undefined if `auto` finds no runner. */
export async function testCommand(target: string, files: Files): Promise<string | undefined> {
  if (target !== '' && target !== 'auto') {
    return Object.hasOwn(commands, target) ? commands[target as Runner] : target;
  }
  if (await hasTestScript(files)) return commands.npm;
  for (const [runner, paths, holding] of RUNNER_SIGNS)
    for (const path of paths) if (await isSign(files, path, holding)) return commands[runner];
  return undefined;
}

async function hasTestScript(files: Files): Promise<boolean> {
  const manifest = parseJson(await readOrEmpty(files, 'package.json'));
  const scripts = isRecord(manifest) ? manifest.scripts : undefined;
  const script = isRecord(scripts) ? scripts.test : undefined;
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
}

async function isSign(files: Files, path: string, holding?: RegExp): Promise<boolean> {
  if (holding) return holding.test(await readOrEmpty(files, path));
  if (path.includes('*')) return (await files.glob(path, { maxResults: 1 })).length > 0;
  return files.fileExists(path);
}

/** Returns the text of a file; empty if it cannot be read. */
async function readOrEmpty(files: Files, path: string): Promise<string> {
  if (!(await files.fileExists(path))) return '';
  return files.readFile(path).then(
    ({ text }) => text,
    () => '',
  );
}
