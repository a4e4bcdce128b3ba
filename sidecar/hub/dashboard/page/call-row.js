/* Rows of tool calls and model calls. Pure. */
import { formatCount, formatDuration } from './format.js';
import { isNumber, isRecord, numberOf } from './lenient.js';
/** @import { ModelCallDetail, StoredExecution, TimelineRow, RowDetail, RowFacts } from '../page-types.ts' */

/** @param {StoredExecution} event @returns {RowFacts & { key: string }} */
export function createCallRow(event) {
  const { id, body } = event;
  if (body.tool_name === 'draft') return createDraftRow(event);
  return {
    key: `e${id}`,
    type: 'call',
    label: body.tool_name ?? firstLineOf(body.text),
    args: formatArguments(body.args_summary ?? ''),
    iteration: body.iteration,
    detail: removeEmpty(body),
  };
}

/**
 * Returns the row of a draft, which is reported as a tool call for other dashboards; the program's own change has no
 * number.
 * @param {StoredExecution} event @returns {RowFacts & { key: string }}
 */
function createDraftRow({ id, body }) {
  const number = /^\d{1,4}/.exec(body.args_summary ?? '')?.[0];
  return {
    key: `e${id}`,
    type: 'call',
    isDraft: true,
    label: number ? `Draft ${number}` : 'Small change',
    args: '',
    iteration: body.iteration,
    detail: removeEmpty(body),
  };
}

/**
 * Returns the result of a call as text, with a note if the model's call had to be repaired.
 * @param {Pick<TimelineRow, 'detail' | 'success' | 'isDraft'>} row
 */
export function formatCallResult({ detail = {}, success, isDraft }) {
  if (isDraft) return moveVerdictFirst(detail.result_summary ?? '');
  const result = detail.result_summary ?? (success ? 'OK' : 'ERR');
  return detail.repaired === true ? `repaired · ${result}` : result;
}

/**
 * Puts the verdict of a summary such as `+1 −1 in a.js; the check passes` first, since a narrow row cuts the end off.
 * @param {string} summary
 */
function moveVerdictFirst(summary) {
  const [, change, verdict] = /^([^;]{1,500}); (.*)$/s.exec(summary) ?? [];
  return verdict ? `${verdict} · ${change}` : summary;
}

const targetParameters = ['file_path', 'command', 'pattern', 'path', 'goal'];

/**
 * Formats `{"limit":5,"file_path":"a.ts"}` as `a.ts limit=5`: the target of a call first, even if the JSON was cut.
 * @param {string} summary
 */
function formatArguments(summary) {
  /** @type {unknown} */
  let parsed;
  try {
    parsed = JSON.parse(summary);
  } catch {
    return formatCutArguments(summary);
  }
  if (!isRecord(parsed) || Array.isArray(parsed)) return summary;
  const values = parsed;
  const target = targetParameters.find((name) => typeof values[name] === 'string') ?? Object.keys(values)[0];
  const names = [target, ...Object.keys(values).filter((name) => name !== target)];
  return names
    .filter((name) => name !== undefined)
    .map((name) => {
      const value = values[name];
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return name === target ? text : `${name}=${text}`;
    })
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

/** Extracts the first value of truncated JSON; returns other texts unchanged. @param {string} summary */
function formatCutArguments(summary) {
  const [, name = '', value, rest] = /^\{"(\w{1,40})":"([^"\\]{1,500})",?(.*)$/s.exec(summary) ?? [];
  return targetParameters.includes(name) ? `${value} ${rest}` : summary;
}

/** The phases of a model call in order. */
export const modelParts = /** @type {const} */ (['wait', 'load', 'read', 'write']);

/**
 * Creates the row of a model call. `isOther`: the model differs from the previous call's.
 * @param {StoredExecution} event @param {boolean} isOther @returns {RowFacts & { key: string }}
 */
export function createModelRow({ id, body }, isOther) {
  return {
    key: `e${id}`,
    type: 'model',
    label: body.model_call?.kind === 'load' ? 'Load the model' : 'Model',
    args: isOther ? (body.model ?? '') : '',
    iteration: body.iteration,
    text: '',
    detail: removeEmpty(body),
  };
}

/**
 * Returns the phases with their durations, `[{ kind, ms }]`; empty if the server reported none.
 * @param {Partial<ModelCallDetail> | undefined} call
 */
export function phasesOf(call) {
  const parts = modelParts.map((kind) => ({ kind, ms: Math.max(0, numberOf(call?.[`${kind}_ms`])) }));
  return parts.filter(({ ms }) => ms > 0);
}

/** Formats `1.2k tokens read (80 % cached, 850/s) · 96 written (41/s)`. @param {RowDetail} detail */
export function formatModelResult({ model_call: call, success }) {
  if (success === false) return 'no answer';
  if (!call) return '';
  if (call.kind === 'load') return 'ready';
  return [formatRead(call), formatWritten(call)].filter(Boolean).join(' · ');
}

/** @param {ModelCallDetail} call */
function formatRead({ tokens_in: tokens, tokens_cached: cached, read_ms: ms }) {
  if (!isNumber(tokens)) return '';
  const facts = [
    numberOf(cached) > 0 && tokens > 0
      ? `${Math.round((Math.min(numberOf(cached), tokens) / tokens) * 100)} % cached`
      : '',
    formatRate(tokens - numberOf(cached), ms),
  ].filter(Boolean);
  return `${formatCount(tokens)} tokens read${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

/** @param {ModelCallDetail} call */
function formatWritten({ tokens_out: tokens, write_ms: ms }) {
  if (!isNumber(tokens)) return '';
  const each = formatRate(tokens, ms);
  return `${formatCount(tokens)} written${each ? ` (${each})` : ''}`;
}

/** Formats tokens per second; empty if too little was measured. @param {number} tokens @param {number | undefined} ms */
export function formatRate(tokens, ms) {
  const durationMs = numberOf(ms);
  if (!(tokens > 0) || !(durationMs > 0)) return '';
  const each = (tokens / durationMs) * 1000;
  return `${each < 10 ? each.toFixed(1) : formatCount(Math.round(each))}/s`;
}

const partNames = { wait: 'Waiting', load: 'Loading', read: 'Reading', write: 'Writing' };

/**
 * Returns the inspector's facts on a model call.
 * @param {RowDetail} detail @returns {[name: string, value: string | number | undefined][]}
 */
export function modelFactsOf({ model_call: call }) {
  if (!call) return [];
  const times = modelParts.map((kind) => /** @type {const} */ ([kind, call[`${kind}_ms`]]));
  return [
    ...times.map(
      ([kind, ms]) =>
        /** @type {[string, string | undefined]} */ ([
          partNames[kind],
          ms === undefined ? undefined : formatDuration(ms),
        ]),
    ),
    ['Tokens read', call.tokens_in],
    ['Cached tokens', call.tokens_cached],
    [
      'Reading speed',
      formatRate(numberOf(call.tokens_in) - numberOf(call.tokens_cached), call.read_ms) || undefined,
    ],
    ['Tokens written', call.tokens_out],
    ['Writing speed', formatRate(numberOf(call.tokens_out), call.write_ms) || undefined],
  ];
}

/** @template {object} T @param {T} body @returns {Partial<T>} */
export const removeEmpty = (body) =>
  /** @type {Partial<T>} */ (
    Object.fromEntries(
      Object.entries(body).filter(([, value]) => value !== undefined && value !== null && value !== ''),
    )
  );
/** @param {unknown} [text] */
export const firstLineOf = (text = '') =>
  String(text)
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? '';
/** @param {string} [text] */
export const lastLineOf = (text = '') =>
  text
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim() ?? '';
