/* The details of one timeline row. */
import { modelFacts } from './call-row.js';
import { facts, h, icon } from './dom.js';
import { plain } from './explain.js';
import { duration, prettyJson } from './format.js';
import { linesShownAtFirst, part } from './text-part.js';
/** @import { Child, EventReference, Row, RowType } from '../page-types.ts' */

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
  attempt: 'Attempt',
  iteration: 'Iteration',
};

/**
 * Renders the inspector. `atMs`: time since the first event. `behind` renders an event's stored details.
 * @param {Row} row @param {{ atMs: number, close: () => void, behind: (opened: EventReference) => Child }} how
 */
export function inspectorOf(row, { atMs, close, behind }) {
  return [
    h(
      'header',
      h('h3', named.has(row.type) ? row.label : kinds[row.type]),
      outcome(row),
      h('button.quiet.icon-only', { 'aria-label': 'Close', onclick: close }, icon('cross')),
    ),
    facts('facts', factsOf(row, atMs)),
    partsFor(row, (row.opens ?? []).toReversed().map(behind)),
  ];
}

/** Types of rows whose label is a name. @type {ReadonlySet<RowType>} */
const named = new Set(['call', 'model', 'attempt']);

/** @param {Row} row */
function outcome({ success }) {
  if (success === undefined) return null;
  return h(`span.outcome.${success ? 'ok' : 'failed'}`, success ? 'OK' : 'Failed');
}

/** @param {Row} row @param {number} atMs */
function factsOf(row, atMs) {
  const { detail = {} } = row;
  /** @type {[string, string | number | undefined][]} */
  const known = [
    // Attempts have the hub's time, not that of the axis.
    ['At', row.type === 'attempt' ? undefined : duration(atMs)],
    ['Took', duration(row.durationMs)],
    ...(row.facts ?? []),
    ...modelFacts(detail),
    ['Iteration', row.iteration],
    ['Model', detail.model],
    ['Tokens so far', detail.tokens_so_far],
    ['Call', row.type === 'call' ? detail.call_id : undefined],
    ['Repaired', detail.repaired === true ? 'yes' : undefined],
  ];
  return known.filter(([, value]) => value !== undefined && value !== '–');
}

/** Types of rows whose text may contain codes. */
const byProgram = new Set(['status', 'check', 'error', 'state', 'attempt']);

/** @param {Row} row @param {Child[]} behind @returns {Child} */
function partsFor(row, behind) {
  const { detail = {}, output } = row;
  if (row.type === 'model') return [behind, written(row)];
  const text = detail.text ?? row.label;
  if (byProgram.has(row.type)) return part('Text', plain(text));
  if (row.type !== 'call') return part('Text', text);
  const result = detail.result ?? detail.output ?? detail.result_summary;
  return [
    part('Arguments', prettyJson(detail.args ?? detail.arguments ?? detail.args_summary ?? '')),
    part('Output', output),
    part('Result', result ?? (detail.phase === 'finished' ? detail.text : undefined)),
    behind,
    row.isDraft ? written(row) : null,
  ];
}

/** Renders the answer, even while it is being written, or the call's error. @param {Row} row */
function written({ text = '', detail = {}, endMs }) {
  if (text === '') return detail.success === false ? part('Text', detail.text) : null;
  return endMs === undefined
    ? part('Being written', text.split('\n').slice(-linesShownAtFirst).join('\n'))
    : part('Written', text);
}
