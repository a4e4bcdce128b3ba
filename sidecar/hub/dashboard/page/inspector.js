/* What is known of one event of a timeline. */
import { modelFacts } from './call-row.js';
import { changesPanel, diffText, hasDiff } from './diff.js';
import { facts, h, icon } from './dom.js';
import { plain } from './explain.js';
import { duration, prettyJson } from './format.js';
import { isRecord, textOf } from './lenient.js';
/** @import { Child, Row, RowType } from '../page-types.ts' */

const linesShownAtFirst = 40;

/** @type {Record<RowType, string>} */
export const kinds = {
  call: 'Tool call',
  model: 'Model',
  text: 'Model',
  output: 'Output',
  status: 'Status',
  error: 'Error',
  plan: 'Plan',
  check: 'Check',
  steer: 'Steering',
  approval: 'Approval',
  state: 'Hub',
  iteration: 'Iteration',
};

/** `atMs`: since the first event. @param {Row} row @param {{ atMs: number, close: () => void }} how */
export function inspectorOf(row, { atMs, close }) {
  return [
    h(
      'header',
      {},
      h('h3', {}, row.type === 'call' || row.type === 'model' ? row.label : kinds[row.type]),
      outcome(row),
      h('button.quiet.icon-only', { 'aria-label': 'Close', onclick: close }, icon('cross')),
    ),
    facts('facts', factsOf(row, atMs)),
    partsFor(row),
  ];
}

/** @param {Row} row */
function outcome({ success }) {
  if (success === undefined) return null;
  return h(`span.outcome.${success ? 'ok' : 'failed'}`, {}, success ? 'OK' : 'Failed');
}

/** @param {Row} row @param {number} atMs */
function factsOf(row, atMs) {
  const { detail = {} } = row;
  /** @type {[string, string | number | undefined][]} */
  const known = [
    ['At', duration(atMs)],
    ['Took', duration(row.durationMs)],
    ...modelFacts(detail),
    ['Iteration', row.iteration],
    ['Model', detail.model],
    ['Tokens so far', detail.tokens_so_far],
    ['Call', row.type === 'call' ? detail.call_id : undefined],
    ['Repaired', detail.repaired === true ? 'yes' : undefined],
  ];
  return known.filter(([, value]) => value !== undefined && value !== '–');
}

/** Rows whose text may have codes in it. */
const byProgram = new Set(['status', 'check', 'error', 'state']);

/** @param {Row} row @returns {Child} */
function partsFor(row) {
  const { detail = {}, output } = row;
  if (row.type === 'model') return written(row);
  const text = detail.text ?? row.label;
  if (byProgram.has(row.type)) return part('Text', plain(text));
  if (row.type !== 'call') return part('Text', text);
  const result = detail.result ?? detail.output ?? detail.result_summary;
  return [
    part('Arguments', prettyJson(detail.args ?? detail.arguments ?? detail.args_summary ?? '')),
    part('Output', output),
    part('Result', result ?? (detail.phase === 'finished' ? detail.text : undefined)),
    ...draftParts(detail.draft),
    row.isDraft ? written(row) : null,
  ];
}

/** The answer as it is being written, or what the call's events say of it. @param {Row} row */
function written({ text = '', detail = {}, endMs }) {
  if (text === '') return detail.success === false ? part('Text', detail.text) : null;
  return endMs === undefined
    ? part('Being written', text.split('\n').slice(-linesShownAtFirst).join('\n'))
    : part('Written', text);
}

/** What a draft says of the cause, and its change. @param {unknown} draft */
function draftParts(draft) {
  if (!isRecord(draft)) return [];
  return [
    part('Cause, as the model sees it', textOf(draft.reason)),
    draft.diff ? h('div.part', {}, h('h4', {}, 'Change'), changesPanel({ patch: textOf(draft.diff) })) : null,
  ];
}

/** A titled text: a diff coloured, a long one folded. @param {string} title @param {unknown} text */
function part(title, text) {
  if (text === undefined || text === '') return null;
  const shown = typeof text === 'string' ? text : prettyJson(text);
  return h('div.part', {}, h('h4', {}, title), hasDiff(shown) ? diffText(shown, title) : folded(shown));
}

/** @param {string} text */
function folded(text) {
  const lines = text.split('\n');
  const rest = lines.length - linesShownAtFirst;
  if (rest <= 5) return h('pre', { tabindex: '0' }, text);
  const box = h('pre', { tabindex: '0' }, lines.slice(0, linesShownAtFirst).join('\n'));
  const more = h(
    'button.quiet.small',
    {
      onclick: () => {
        more.replaceWith();
        box.replaceWith(h('pre', { tabindex: '0' }, text));
      },
    },
    `Show ${rest} more lines`,
  );
  return [box, more];
}
