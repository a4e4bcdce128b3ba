/* The quieter parts of a task: its plan, its checks, its result. */
import { facts, h, icon, visible } from './dom.js';
import { count, duration, usd } from './format.js';
import { records } from './lenient.js';
import { markdown } from './markdown.js';

export function planPanel(plan) {
  if (plan === undefined || plan === null || plan === '') return h('p.empty', {}, 'This task has no plan.');
  return markdown(typeof plan === 'string' ? plan : JSON.stringify(plan, null, 2));
}

const checkIcons = { pass: 'check', fail: 'cross', error: 'alert', timeout: 'clock', skip: 'dot' };
const checkNames = {
  pass: 'Passed',
  fail: 'Failed',
  error: 'Error',
  timeout: 'Timed out',
  skip: 'Skipped',
  auto_pass: 'Passed',
};

export function checksPanel(report, result) {
  const checks = records(report?.checks);
  if (checks.length === 0) return h('p.empty', {}, 'No checks were run.');
  const { total = 0, passed = 0 } = report.summary ?? {};
  const history = Array.isArray(result?.verification_history) ? result.verification_history : [];
  return h(
    'div',
    {},
    h(
      'p.checks-summary',
      {},
      `${passed} of ${total} passed in run ${report.run_number ?? 1}, ${duration(report.duration_ms)}`,
    ),
    checks.map(checkBox),
    history.length > 1
      ? h(
          'details',
          {},
          h('summary', {}, `${history.length} runs`),
          h(
            'ol.history',
            {},
            history.map((run) =>
              h(
                'li',
                {},
                `${run?.summary?.passed ?? 0} of ${run?.summary?.total ?? 0} passed, ${duration(run?.duration_ms)}`,
              ),
            ),
          ),
        )
      : null,
  );
}

function checkBox(check) {
  const status = Object.hasOwn(checkNames, check.status) ? check.status : 'error';
  const output = String(check.output ?? '');
  return h(
    `details.check.${status}`,
    { open: status !== 'pass' && output !== '' },
    h(
      'summary',
      {},
      h('span.check-mark', {}, icon(checkIcons[status])),
      h('span.check-name', {}, String(check.description || check.target || check.type)),
      h('span.check-type', {}, String(check.type ?? '')),
      h('span.check-status', {}, `${checkNames[status]}, ${duration(check.duration_ms)}`),
    ),
    facts('facts', [['Target', check.target ?? '–']]),
    output === '' ? h('p.note', {}, 'No output.') : h('pre', { tabindex: '0' }, output),
  );
}

const verificationNames = {
  verified: 'Verified by its checks',
  partial_pass: 'Some checks pass',
  failed: 'Checks fail',
  unverified: 'Not verified',
  execution_failed: 'The checks could not be run',
};

export function resultPanel(detail) {
  const { result } = detail;
  if (!result) return h('p.empty', {}, detail.error ? `No result: ${detail.error}` : 'No result yet.');
  const known = [
    ['Verification', verificationNames[result.verification_status] ?? result.verification_status],
    ['Ended by', result.termination_reason],
    ['Because', result.termination_detail],
    ['Model', result.model_used],
    ['Tokens in', count(result.tokens_in)],
    ['Tokens out', count(result.tokens_out)],
    ['Cost', usd(result.estimated_cost_usd)],
    ['Run time', duration(result.execution_ms)],
    ['Branch', result.changes?.branch],
    ['Left out', Array.isArray(result.omitted) ? result.omitted.join(', ') : undefined],
  ].filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== '–');
  return h(
    'div.result-panel',
    {},
    facts('facts', known),
    list('Done', result.completed, 'done'),
    list('Remaining', result.remaining, 'open'),
    h('h3', {}, 'Answer'),
    result.output ? markdown(result.output) : h('p.empty', {}, 'No text.'),
    result.follow_up
      ? h('details', {}, h('summary', {}, 'Follow-up task as it would be submitted'), json(result.follow_up))
      : null,
    h('details', {}, h('summary', {}, 'Whole result as JSON'), json(result)),
  );
}

/** Built when it is opened: results can be a megabyte. */
function json(value) {
  const box = h('pre', { tabindex: '0' });
  queueMicrotask(() => {
    box.parentElement?.addEventListener(
      'toggle',
      () => (box.textContent ||= visible(JSON.stringify(value, null, 2))),
      { once: true },
    );
  });
  return box;
}

function list(title, items, kind) {
  if (!Array.isArray(items) || items.length === 0) return null;
  return [
    h('h3', {}, title),
    h(
      'ul.outcomes',
      {},
      items.map((one) =>
        h(`li.${kind}`, {}, icon(kind === 'done' ? 'check' : 'dot'), h('span', {}, String(one))),
      ),
    ),
  ];
}
