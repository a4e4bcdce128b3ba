/* The panels with a task's checks and its result. */
import { copyButton } from './act-button.js';
import { facts, h, icon, table } from './dom.js';
import { attemptEndingText, checkName, endingText, own, plain, sentence } from './explain.js';
import { count, duration, usd } from './format.js';
import { isRecord, number, records, textOf } from './lenient.js';
import { markdown } from './markdown.js';
/** @import { Report, Result, TaskDetail } from '../page-types.ts' */

/** @type {Record<string, string>} */
const checkIcons = { pass: 'check', fail: 'cross', error: 'alert', timeout: 'clock', skip: 'dot' };
/** @type {Record<string, string>} */
const checkNames = {
  pass: 'Passed',
  fail: 'Failed',
  error: 'Error',
  timeout: 'Timed out',
  skip: 'Skipped',
  auto_pass: 'Passed',
};

/** @param {Report | null | undefined} report @param {Result | null} result */
export function checksPanel(report, result) {
  const checks = records(report?.checks);
  const { summary, run_number: run = 1, duration_ms: took } = report ?? {};
  const history = records(result?.verification_history);
  return h(
    'div',
    h('p.checks-summary', `${passedOf(summary)} in run ${String(run)}, ${duration(took)}`),
    checks.map(checkBox),
    history.length > 1
      ? h(
          'details',
          h('summary', `${history.length} runs`),
          h(
            'ol.history',
            history.map((one) => h('li', `${passedOf(one.summary)}, ${duration(one.duration_ms)}`)),
          ),
        )
      : null,
  );
}

/** @param {unknown} summary */
function passedOf(summary) {
  const { passed, total } = isRecord(summary) ? summary : {};
  return `${number(passed)} of ${number(total)} passed`;
}

/** @param {Record<string, unknown>} check */
function checkBox(check) {
  const named = textOf(check.status);
  const status = Object.hasOwn(checkNames, named) ? named : 'error';
  const output = textOf(check.output);
  return h(
    `details.check.${status}`,
    { open: status !== 'pass' && output !== '' },
    h(
      'summary',
      h('span.check-mark', icon(checkIcons[status] ?? 'dot')),
      h('span.check-name', checkName(check)),
      h('span.check-status', `${checkNames[status]}, ${duration(check.duration_ms)}`),
    ),
    facts('facts', [['Target', textOf(check.target ?? '–')]]),
    output === '' ? h('p.note', 'No output.') : h('pre', { tabindex: '0' }, output),
  );
}

/** @type {Record<string, string>} */
const verificationNames = {
  verified: 'Verified by its checks',
  partial_pass: 'Some checks pass',
  failed: 'Checks fail',
  unverified: 'Not verified',
  execution_failed: 'The checks could not be run',
};

/** @param {TaskDetail} detail */
export function resultPanel(detail) {
  const { result } = detail;
  if (!result) return h('p.empty', detail.error ? `No result: ${plain(detail.error)}` : 'No result yet.');
  const verified = result.verification_status;
  /** @type {[string, unknown][]} */
  const all = [
    ['Verification', own(verificationNames, verified) ?? verified],
    ['Ended', sentence(endingText(result.termination_reason) ?? plain(result.termination_reason))],
    ['Because', plain(result.termination_detail)],
    ['Model', result.model_used],
    ['Tokens in', count(detail.tokens_in)],
    ['Tokens out', count(detail.tokens_out)],
    ['Token count', result.tokens_estimated ? 'partly estimated' : undefined],
    ['Cost', usd(detail.estimated_cost_usd)],
    ['Run time', duration(detail.worked_ms)],
    ['Branch', result.changes?.branch],
    ['Left out', Array.isArray(result.omitted) ? result.omitted.join(', ') : undefined],
  ];
  const known = all.filter(
    ([, value]) => value !== undefined && value !== null && value !== '' && value !== '–',
  );
  return h(
    'div.result-panel',
    facts(
      'facts',
      known.map(([name, value]) => [name, textOf(value)]),
    ),
    attemptsPart(detail.attempts),
    h('h3', 'Answer'),
    result.output ? markdown(result.output) : h('p.empty', 'No text.'),
    h(
      'div.actions',
      copyButton('Copy the whole result as JSON', () => JSON.stringify(result, null, 2)),
      result.follow_up
        ? copyButton('Copy the follow-up task as JSON', () => JSON.stringify(result.follow_up, null, 2))
        : null,
    ),
  );
}

/** Renders the table of attempts, if there are several. @param {TaskDetail['attempts']} attempts */
function attemptsPart(attempts) {
  if (attempts.length < 2) return null;
  return [
    h('h3', 'Attempts'),
    table(
      'Attempts',
      ['Worker', 'Model', 'Time', 'Iterations', 'Tokens', 'Cost', 'Ended'],
      attempts.map((one) => [
        one.worker_id,
        one.model ?? '–',
        one.ended_at === null ? '–' : duration(one.ended_at - one.started_at),
        count(one.iterations_used),
        count(number(one.tokens_in) + number(one.tokens_out)),
        usd(one.estimated_cost_usd),
        attemptEndingText(one.ending),
      ]),
    ),
  ];
}
