/** Validates a suite and prints its problems, for `evals/validate.mjs` and `evaluate --validate`. */
import { configSchema, type Config } from '../../base/config/schema.ts';
import { loadSuite } from './suite.ts';
import { validateTasks, type TaskValidation } from './validate.ts';

const defaultConfig = configSchema.parse({});

/**
 * Validates a suite, prints one line per task, and returns the exit code. Rejects with the code
 * `evaluate_suite` if there is no suite.
 */
export async function validateSuite(
  dir: string,
  only: readonly string[] = [],
  config: Pick<Config, 'sandbox' | 'tools'> = defaultConfig,
): Promise<0 | 1> {
  const suite = await loadSuite(dir, { only });
  if (suite.tasks.length + suite.problems.length === 0) {
    print(`No task of ${suite.dir} matches ${only.join(', ')}`);
    return 1;
  }
  for (const problem of suite.problems) print(`✗ ${problem}`);
  const validations = await validateTasks(suite.tasks, { config, onDone: printTask });
  const wrongCount = validations.filter(({ problems }) => problems.length > 0).length;
  const skippedCount = validations.filter((validation) => validation.skipped !== undefined).length;
  const invalidCount = new Set(suite.problems.map((problem) => problem.split(':')[0])).size;
  print(
    `\n${validations.length + invalidCount} tasks: ${validations.length - wrongCount - skippedCount} valid, ${wrongCount + invalidCount} invalid, ${skippedCount} skipped`,
  );
  return wrongCount + invalidCount > 0 ? 1 : 0;
}

function printTask({ id, skipped, problems, durationMs }: TaskValidation): void {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  if (skipped !== undefined) print(`- ${id}: skipped, ${skipped}`);
  else if (problems.length === 0) print(`✓ ${id} (${seconds})`);
  else print([`✗ ${id} (${seconds})`, ...problems.map((problem) => `    ${problem}`)].join('\n'));
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
