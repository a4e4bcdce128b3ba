/* What the row of a tool's call says, and that of a call of the model. Pure. */
import { count, duration } from './format.js';
import { number } from './lenient.js';

export function callRow({ id, body }) {
  if (body.tool_name === 'draft') return draftRow(id, body);
  return {
    key: `e${id}`,
    type: 'call',
    label: body.tool_name ?? firstLine(body.text),
    args: shortArguments(body.args_summary ?? ''),
    iteration: body.iteration,
    detail: withoutEmpty(body),
  };
}

/** A draft is told as a tool's call, so that any dashboard can show it; a change that the program made has no number. */
function draftRow(id, body) {
  const number = /^\d{1,4}/.exec(body.args_summary ?? '')?.[0];
  return {
    key: `e${id}`,
    type: 'call',
    isDraft: true,
    label: number ? `Draft ${number}` : 'Small change',
    args: '',
    iteration: body.iteration,
    detail: withoutEmpty(body),
  };
}

/** What came of a call, and whether the model's call had to be repaired first. */
export function resultText({ detail, success, isDraft }) {
  if (isDraft) return verdictFirst(detail.result_summary ?? '');
  const result = detail.result_summary ?? (success ? 'OK' : 'ERR');
  return detail.repaired === true ? `repaired · ${result}` : result;
}

/** `+1 −1 in a.js; the check passes` the other way round: in a narrow row the end is cut off. */
function verdictFirst(summary) {
  const [, change, verdict] = /^([^;]{1,500}); (.*)$/s.exec(summary) ?? [];
  return verdict ? `${verdict} · ${change}` : summary;
}

const targets = ['file_path', 'command', 'pattern', 'path', 'goal'];

/** `{"limit":5,"file_path":"a.ts"}` as `a.ts limit=5`: what a call is about comes first, also where the JSON was cut. */
function shortArguments(summary) {
  let parsed;
  try {
    parsed = JSON.parse(summary);
  } catch {
    return cutArguments(summary);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return summary;
  const target = targets.find((name) => typeof parsed[name] === 'string') ?? Object.keys(parsed)[0];
  const names = [target, ...Object.keys(parsed).filter((name) => name !== target)];
  return names
    .filter((name) => name !== undefined)
    .map((name) => {
      const value = parsed[name];
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return name === target ? text : `${name}=${text}`;
    })
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

/** The first value of JSON that breaks off behind it; anything else as it is. */
function cutArguments(summary) {
  const whole = /^\{"(\w{1,40})":"([^"\\]{1,500})",?(.*)$/s.exec(summary);
  return whole && targets.includes(whole[1]) ? `${whole[2]} ${whole[3]}` : summary;
}

/** The parts of a model's call in the order in which they happen. */
export const modelParts = ['wait', 'load', 'read', 'write'];

/** `isOther`: another model than the call before. */
export function modelRow({ id, body }, isOther) {
  return {
    key: `e${id}`,
    type: 'model',
    label: body.model_call.kind === 'load' ? 'Load the model' : 'Model',
    args: isOther ? String(body.model ?? '') : '',
    iteration: body.iteration,
    text: '',
    detail: withoutEmpty(body),
  };
}

/** `[{ kind, ms }]` that add up to the row's time; nothing where the server told nothing. */
export function partsOf(call) {
  const parts = modelParts.map((kind) => ({ kind, ms: Math.max(0, number(call?.[`${kind}_ms`])) }));
  return parts.filter(({ ms }) => ms > 0);
}

/** `1.2k tokens read (80 % cached, 850/s) · 96 written (41/s)` */
export function modelResult({ model_call: call = {}, success }) {
  if (success === false) return 'no answer';
  if (call.kind === 'load') return 'ready';
  return [readText(call), writtenText(call)].filter(Boolean).join(' · ');
}

function readText({ tokens_in: tokens, tokens_cached: cached, read_ms: ms }) {
  if (!Number.isFinite(tokens)) return '';
  const facts = [
    cached > 0 && tokens > 0 ? `${Math.round((Math.min(cached, tokens) / tokens) * 100)} % cached` : '',
    rate(tokens - number(cached), ms),
  ].filter(Boolean);
  return `${count(tokens)} tokens read${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

function writtenText({ tokens_out: tokens, write_ms: ms }) {
  if (!Number.isFinite(tokens)) return '';
  const each = rate(tokens, ms);
  return `${count(tokens)} written${each ? ` (${each})` : ''}`;
}

/** Tokens a second; nothing where too little was measured. */
export function rate(tokens, ms) {
  if (!(tokens > 0) || !(ms > 0)) return '';
  const each = (tokens / ms) * 1000;
  return `${each < 10 ? each.toFixed(1) : count(Math.round(each))}/s`;
}

const partNames = { wait: 'Waiting', load: 'Loading', read: 'Reading', write: 'Writing' };

/** What the inspector says of a model's call. */
export function modelFacts({ model_call: call = {} }) {
  const ms = (kind) => (call[`${kind}_ms`] === undefined ? undefined : duration(call[`${kind}_ms`]));
  return [
    ...modelParts.map((kind) => [partNames[kind], ms(kind)]),
    ['Tokens read', call.tokens_in],
    ['of these cached', call.tokens_cached],
    ['Reading speed', rate(call.tokens_in - number(call.tokens_cached), call.read_ms) || undefined],
    ['Tokens written', call.tokens_out],
    ['Writing speed', rate(call.tokens_out, call.write_ms) || undefined],
  ];
}

export const withoutEmpty = (body) =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
export const firstLine = (text = '') =>
  String(text)
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? '';
export const lastLine = (text = '') =>
  text
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim() ?? '';
