/**
 * Finds the command that runs a project's tests, for `test_passes` with target `auto`. npm's placeholder script does not count as a test.
 */
import type { ExecutionEnvironment } from '../../base/ports.ts';
import { isRecord, parseJson } from '../../base/values/json.ts';

type FileReader = Pick<ExecutionEnvironment, 'readFile' | 'glob'>;

const TEST_COMMANDS = {
  npm: 'CI=1 npm_config_update_notifier=false npm test --silent',
  mix: 'mix test',
  make: 'make test',
  pytest: 'python3 -m pytest -q',
  cargo: 'cargo test',
  go: 'go test ./...',
} as const;
type Runner = keyof typeof TEST_COMMANDS;

type TextTest = Pick<RegExp, 'test'>;

/** Tests whether the text of a `package.json` has a real test script. */
const realTestScript: TextTest = {
  test: (text) => {
    const manifest = parseJson(text);
    const scripts = isRecord(manifest) ? manifest.scripts : undefined;
    const script = isRecord(scripts) ? scripts.test : undefined;
    return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
  },
};

/** Files that indicate a runner by their presence or by their content. */
const RUNNER_FILES: readonly [Runner, paths: readonly string[], holding?: TextTest][] = [
  ['npm', ['package.json'], realTestScript],
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
export async function detectTestCommand(target: string, files: FileReader): Promise<string | undefined> {
  if (target !== '' && target !== 'auto')
    return Object.hasOwn(TEST_COMMANDS, target) ? TEST_COMMANDS[target as Runner] : target;
  for (const [runner, paths, holding = /(?:)/] of RUNNER_FILES)
    for (const path of paths) {
      const [found = path] = path.includes('*') ? await files.glob(path, { maxResults: 1 }) : [];
      const file = await files.readFile(found).catch(() => undefined);
      if (file && holding.test(file.text)) return TEST_COMMANDS[runner];
    }
  return undefined;
}
