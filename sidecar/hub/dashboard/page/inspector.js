/* The details of one timeline row. */
import { modelFactsOf } from './call-row.js';
import { renderFacts, h, createIcon } from './dom.js';
import { replaceCodes } from './explain.js';
import { formatDuration, formatJson } from './format.js';
import { INITIAL_TEXT_LINES, renderTextPart } from './text-part.js';
/** @import { Child, EventReference, TimelineRow, RowType } from '../page-types.ts' */

/** @type {Record<RowType, string>} */
export const kindNames = {
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
 * Renders the inspector. `atMs`: time since the first event. `renderDetails` renders an event's stored details.
 * @param {TimelineRow} row @param {{ atMs: number, close: () => void, renderDetails: (opened: EventReference) => Child }} how
 */
export function renderInspector(row, { atMs, close, renderDetails }) {
  return [
    h(
      'header',
      h('h3', namedRowTypes.has(row.type) ? row.label : kindNames[row.type]),
      renderOutcome(row),
      h('button.quiet.icon-only', { 'aria-label': 'Close', onclick: close }, createIcon('cross')),
    ),
    renderFacts('facts', rowFactsOf(row, atMs)),
    renderParts(row, (row.opens ?? []).toReversed().map(renderDetails)),
  ];
}

/** Types of rows whose label is a name. @type {ReadonlySet<RowType>} */
const namedRowTypes = new Set(['call', 'model', 'attempt']);

/** @param {TimelineRow} row */
function renderOutcome({ success }) {
  if (success === undefined) return null;
  return h(`span.outcome.${success ? 'ok' : 'failed'}`, success ? 'OK' : 'Failed');
}

/** @param {TimelineRow} row @param {number} atMs */
function rowFactsOf(row, atMs) {
  const { detail = {} } = row;
  /** @type {[string, string | number | undefined][]} */
  const rowFacts = [
    // Attempts have the hub's time, but the axis has the worker's time.
    ['Start', row.type === 'attempt' ? undefined : formatDuration(atMs)],
    ['Duration', formatDuration(row.durationMs)],
    ...(row.facts ?? []),
    ...modelFactsOf(detail),
    ['Iteration', row.iteration],
    ['Model', detail.model],
    ['Tokens so far', detail.tokens_so_far],
    ['Call', row.type === 'call' ? detail.call_id : undefined],
    ['Repaired', detail.repaired === true ? 'yes' : undefined],
  ];
  return rowFacts.filter(([, value]) => value !== undefined && value !== '–');
}

/** Types of rows whose text may contain codes of endings or checks. */
const programRowTypes = new Set(['status', 'check', 'error', 'state', 'attempt']);

/** @param {TimelineRow} row @param {Child[]} details @returns {Child} */
function renderParts(row, details) {
  const { detail = {}, output } = row;
  if (row.type === 'model') return [details, renderAnswer(row)];
  const text = detail.text ?? row.label;
  if (programRowTypes.has(row.type)) return renderTextPart('Text', replaceCodes(text));
  if (row.type !== 'call') return renderTextPart('Text', text);
  const result = detail.result ?? detail.output ?? detail.result_summary;
  return [
    renderTextPart('Arguments', formatJson(detail.args ?? detail.arguments ?? detail.args_summary ?? '')),
    renderTextPart('Output', output),
    renderTextPart('Result', result ?? (detail.phase === 'finished' ? detail.text : undefined)),
    details,
    row.isDraft ? renderAnswer(row) : null,
  ];
}

/**
 * Renders the model's answer, even while it is being written, or else the error of the call.
 * @param {TimelineRow} row
 */
function renderAnswer({ text = '', detail = {}, endMs }) {
  if (text === '') return detail.success === false ? renderTextPart('Text', detail.text) : null;
  return endMs === undefined
    ? renderTextPart('Being written', text.split('\n').slice(-INITIAL_TEXT_LINES).join('\n'))
    : renderTextPart('Written', text);
}
