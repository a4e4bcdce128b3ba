/** A report of as many checks, of which so many pass. */
export const checks = (passing: number, of: number) => ({
  task_id: 'x',
  run_number: 1,
  status: passing === of ? 'pass' : 'fail',
  started_at: '',
  duration_ms: 1,
  timeout_ms: 1,
  checks: Array.from({ length: of }, (_, index) => ({
    type: 'command_succeeds',
    target: `check ${index}`,
    description: '',
    status: index < passing ? 'pass' : 'fail',
    output: '',
    duration_ms: 1,
  })),
  summary: { total: of, passed: passing, failed: of - passing, errors: 0, timed_out: 0 },
});
