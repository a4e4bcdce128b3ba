/** The part of an essence that a report keeps and that later runs are compared with. Pure. */
import type { CheckEssence } from '../protocol/result.ts';
import type { Essence } from './types.ts';

const MAX_FAILED = 200;
const MAX_ERRORS = 20;
const MAX_NAME_CHARS = 200;

export const summaryOf = ({ runner, passed, failed, errors, text }: Essence): CheckEssence => ({
  runner,
  passed,
  failed: failed.slice(0, MAX_FAILED).map(({ name }) => name.slice(0, MAX_NAME_CHARS)),
  errors: errors.slice(0, MAX_ERRORS).map(({ message }) => message.slice(0, MAX_NAME_CHARS)),
  text,
});
