/** Reduces an essence to the parts that a report contains and with which later runs are compared. Pure. */
import type { CheckEssence } from '../../base/protocol/result.ts';
import { isNotRun } from './failure-text.ts';
import type { Essence } from './types.ts';

const MAX_FAILED = 200;
const MAX_ERRORS = 20;
const MAX_NAME_CHARS = 200;

/** Maximum number of passing tests whose names are compared. For larger suites, only the number of tests is compared. */
const MAX_PASSING = 5_000;

export const summaryOf = ({
  runner,
  passed,
  failed,
  errors,
  text,
  passing,
  skipped,
}: Essence): CheckEssence => ({
  runner,
  passed,
  ...(skipped > 0 && { skipped }),
  ...(passing.length > 0 &&
    passing.length <= MAX_PASSING && { passing: passing.map((name) => name.slice(0, MAX_NAME_CHARS)) }),
  ...(failed.some(isNotRun) && {
    not_run: failed.filter(isNotRun).map(({ name }) => name.slice(0, MAX_NAME_CHARS)),
  }),
  failed: failed.slice(0, MAX_FAILED).map(({ name }) => name.slice(0, MAX_NAME_CHARS)),
  errors: errors.slice(0, MAX_ERRORS).map(({ message }) => message.slice(0, MAX_NAME_CHARS)),
  text,
});
