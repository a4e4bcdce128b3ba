/** One run of an evaluation, solved at once, but for what is given. */
import type { RunRecord } from '../../sidecar/cli/evaluate/record.ts';

export const evaluationRecord = (own: Pick<RunRecord, 'model'> & Partial<RunRecord>): RunRecord => ({
  task: 't',
  kind: 'fix',
  language: 'javascript',
  run: 1,
  strategy: 'auto',
  at: '2026-01-01T00:00:00Z',
  solved: true,
  claimed: 'success',
  falseSuccess: false,
  changed: true,
  seconds: 1,
  tokensIn: 1,
  tokensOut: 1,
  calls: 1,
  malformed: 0,
  termination: 'final_answer',
  verification: 'verified',
  checks: { passed: 1, total: 1 },
  why: '',
  ...own,
});
