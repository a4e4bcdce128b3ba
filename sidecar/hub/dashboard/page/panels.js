/* The panels with a task's checks and its result. */
import { createCopyButton } from './act-button.js';
import { renderFacts, h, createIcon, renderTable } from './dom.js';
import {
  describeAttemptEnding,
  checkNameOf,
  describeEnding,
  ownEntryOf,
  replaceCodes,
  formatSentence,
} from './explain.js';
import { formatCount, formatDuration, formatUsd } from './format.js';
import { isRecord, numberOf, recordsOf, textOf } from './lenient.js';
import { renderMarkdown } from './markdown.js';
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
export function renderChecks(report, result) {
  const checks = recordsOf(report?.checks);
  const { summary, run_number: run = 1, duration_ms: durationMs } = report ?? {};
  const history = recordsOf(result?.verification_history);
  return h(
    'div',
    h('p.checks-summary', `${formatPassed(summary)} in run ${String(run)}, ${formatDuration(durationMs)}`),
    checks.map(renderCheck),
    history.length > 1
      ? h(
          'details',
          h('summary', `${history.length} runs`),
          h(
            'ol.history',
            history.map((one) => h('li', `${formatPassed(one.summary)}, ${formatDuration(one.duration_ms)}`)),
          ),
        )
      : null,
  );
}

/** @param {unknown} summary */
function formatPassed(summary) {
  const { passed, total } = isRecord(summary) ? summary : {};
  return `${numberOf(passed)} of ${numberOf(total)} passed`;
}

/** @param {Record<string, unknown>} check */
function renderCheck(check) {
  const reportedStatus = textOf(check.status);
  const status = Object.hasOwn(checkNames, reportedStatus) ? reportedStatus : 'error';
  const output = textOf(check.output);
  return h(
    `details.check.${status}`,
    { open: status !== 'pass' && output !== '' },
    h(
      'summary',
      h('span.check-mark', createIcon(checkIcons[status] ?? 'dot')),
      h('span.check-name', checkNameOf(check)),
      h('span.check-status', `${checkNames[status]}, ${formatDuration(check.duration_ms)}`),
    ),
    renderFacts('facts', [['Target', textOf(check.target ?? '–')]]),
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
export function renderResult(detail) {
  const { result } = detail;
  if (!result)
    return h('p.empty', detail.error ? `No result: ${replaceCodes(detail.error)}` : 'No result yet.');
  const verificationStatus = result.verification_status;
  /** @type {[string, unknown][]} */
  const allFacts = [
    ['Verification', ownEntryOf(verificationNames, verificationStatus) ?? verificationStatus],
    [
      'Ended',
      formatSentence(describeEnding(result.termination_reason) ?? replaceCodes(result.termination_reason)),
    ],
    ['Reason', replaceCodes(result.termination_detail)],
    ['Model', result.model_used],
    ['Tokens in', formatCount(detail.tokens_in)],
    ['Tokens out', formatCount(detail.tokens_out)],
    ['Token count', result.tokens_estimated ? 'partly estimated' : undefined],
    ['Cost', formatUsd(detail.estimated_cost_usd)],
    ['Run time', formatDuration(detail.worked_ms)],
    ['Branch', result.changes?.branch],
    ['Omitted', Array.isArray(result.omitted) ? result.omitted.join(', ') : undefined],
  ];
  const knownFacts = allFacts.filter(
    ([, value]) => value !== undefined && value !== null && value !== '' && value !== '–',
  );
  return h(
    'div.result-panel',
    renderFacts(
      'facts',
      knownFacts.map(([name, value]) => [name, textOf(value)]),
    ),
    renderAttempts(detail.attempts),
    h('h3', 'Answer'),
    result.output ? renderMarkdown(result.output) : h('p.empty', 'No text.'),
    h(
      'div.actions',
      createCopyButton('Copy the whole result as JSON', () => JSON.stringify(result, null, 2)),
      result.follow_up
        ? createCopyButton('Copy the follow-up task as JSON', () => JSON.stringify(result.follow_up, null, 2))
        : null,
    ),
  );
}

/** Renders the table of attempts, if there are several. @param {TaskDetail['attempts']} attempts */
function renderAttempts(attempts) {
  if (attempts.length < 2) return null;
  return [
    h('h3', 'Attempts'),
    renderTable(
      'Attempts',
      ['Worker', 'Model', 'Time', 'Iterations', 'Tokens', 'Cost', 'Ended'],
      attempts.map((one) => [
        one.worker_id,
        one.model ?? '–',
        one.ended_at === null ? '–' : formatDuration(one.ended_at - one.started_at),
        formatCount(one.iterations_used),
        formatCount(numberOf(one.tokens_in) + numberOf(one.tokens_out)),
        formatUsd(one.estimated_cost_usd),
        describeAttemptEnding(one.ending),
      ]),
    ),
  ];
}
