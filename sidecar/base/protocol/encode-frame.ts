/**
 * Writes a worker's frames so that they pass the public hub's validation. Pure. Integers are integers,
 * over-long strings are cut, and the whole frame is measured as sent.
 */
import { isRecord } from '../values/json.ts';
import { MAX_FIELD_CHARS, MAX_FRAME_OUT_BYTES, MAX_PATCH_BYTES, PROTOCOL_VERSION } from './limits.ts';
import type { WorkerFrameInput } from './worker-frames.ts';

export interface EncodedFrame {
  text: string;
  /** Parts that were left out so that the frame fits, as they are named in `result.omitted`. */
  omitted: string[];
}

type Fields = Record<string, unknown>;

/** Encodes a frame with `protocol_version`. `maxBytes`: the limit that the hub announced; at most 1 MiB. */
export function encodeWorkerFrame(
  frame: WorkerFrameInput,
  maxBytes: number = MAX_FRAME_OUT_BYTES,
): EncodedFrame {
  const limitBytes = Math.min(maxBytes, MAX_FRAME_OUT_BYTES);
  const clean: Fields = { ...withIntegers(withShortStrings(frame)), protocol_version: PROTOCOL_VERSION };
  const bounded = withBoundedPatch(clean);
  return fit(bounded.fields, limitBytes, bounded.omitted);
}

/** Steps that each leave out one more part, in the order of docs/dev/protocol.md. */
const steps: readonly { name: string; leaveOut: (fields: Fields, excessBytes: number) => Fields }[] = [
  {
    name: 'verification_history',
    leaveOut: (fields) =>
      editResult(without(fields, 'verification_history'), (result) =>
        without(result, 'verification_history'),
      ),
  },
  {
    name: 'patch',
    leaveOut: (fields) => editResult(fields, (result) => withoutPatch(result, 'frame too large')),
  },
  {
    name: 'output',
    leaveOut: (fields, excessBytes) =>
      editResult(fields, (result) => ({ ...result, output: shortened(result.output, excessBytes) })),
  },
  // Only for thousands of files, checks or criteria: some result must arrive even then.
  { name: 'details', leaveOut: (fields) => editResult(without(fields, 'verification_report'), essentials) },
];

function fit(fields: Fields, limitBytes: number, omittedBefore: string[]): EncodedFrame {
  const omitted = [...omittedBefore];
  let current = fields;
  let text = serialise(announced(current, omitted));
  for (const { name, leaveOut } of steps) {
    const excess = Buffer.byteLength(text) - limitBytes;
    if (excess <= 0) break;
    const next = leaveOut(current, excess + 200);
    if (serialise(next).length === serialise(current).length) continue;
    current = next;
    if (!omitted.includes(name)) omitted.push(name);
    text = serialise(announced(current, omitted));
  }
  return { text, omitted };
}

/** Adds the names of the omitted parts to the result. */
const announced = (fields: Fields, omitted: string[]): Fields =>
  omitted.length === 0 ? fields : editResult(fields, (result) => ({ ...result, omitted }));

function serialise(fields: Fields): string {
  const text = JSON.stringify(fields);
  // JSON.stringify escapes a lone surrogate, which the hub's JSON reader refuses.
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(fields, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\uFFFD') : value,
  );
}

function editResult(fields: Fields, edit: (result: Fields) => Fields): Fields {
  return isRecord(fields.result) ? { ...fields, result: edit(fields.result) } : fields;
}

const fieldLimits: ReadonlyMap<string, number> = new Map(Object.entries(MAX_FIELD_CHARS));

const withShortStrings = (frame: object): Fields =>
  Object.fromEntries(
    Object.entries(frame).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' ? cut(value, fieldLimits.get(key) ?? Infinity) : value,
    ]),
  );

/** Cuts the end of a text and marks the cut; never splits a character. */
function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`.replaceAll(/\p{Surrogate}/gu, '');
}

const integerFields = new Set([
  'progress',
  'generation',
  'tokens_used',
  'capacity',
  'tokens_so_far',
  'timestamp',
  'seq',
  'duration_ms',
  'iteration',
  'tokens_in',
  'tokens_out',
  'execution_ms',
  'iterations_used',
  'iterations',
  'verification_attempts',
]);

/** Fields whose content is this worker's own. */
const ownFields = new Set(['execution_event', 'events', 'result', 'used']);

/** Rounds the integers of the frame, its events and its result; metadata of others stays unchanged. */
const withIntegers = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (typeof value === 'number' && integerFields.has(key)) return [key, asInteger(value)];
      if (!ownFields.has(key)) return [key, value];
      if (Array.isArray(value)) return [key, value.map((one) => (isRecord(one) ? withIntegers(one) : one))];
      return [key, isRecord(value) ? withIntegers(value) : value];
    }),
  );

/** Rounds and bounds a number: JSON writes larger ones with an exponent, which the hub does not read as an integer. */
const asInteger = (value: number): number =>
  Number.isNaN(value)
    ? 0
    : Math.min(Math.max(Math.round(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

function withBoundedPatch(fields: Fields): { fields: Fields; omitted: string[] } {
  const changes = isRecord(fields.result) ? fields.result.changes : undefined;
  const patch = isRecord(changes) ? changes.patch : undefined;
  if (typeof patch !== 'string' || Buffer.byteLength(patch) <= MAX_PATCH_BYTES)
    return { fields, omitted: [] };
  const reason = `larger than ${MAX_PATCH_BYTES} bytes`;
  return { fields: editResult(fields, (result) => withoutPatch(result, reason)), omitted: ['patch'] };
}

/** Removes the patch from the changes and its copy from the follow-up, which then names the commit. */
function withoutPatch(result: Fields, reason: string): Fields {
  const { changes, follow_up: followUp } = result;
  return {
    ...result,
    ...(isRecord(changes) &&
      changes.patch !== '' && { changes: { ...changes, patch: '', patch_omitted: reason } }),
    ...(isRecord(followUp) &&
      isRecord(followUp.metadata) && {
        follow_up: withoutCarried(followUp, followUp.metadata, isRecord(changes) && changes.head_commit),
      }),
  };
}

/** Removes the patch from a follow-up, which then names the commit with the work if there is one. */
export function withoutCarried(followUp: Fields, metadata: Fields, commit: unknown): Fields {
  const { follow_up_patch: patch, ...rest } = metadata;
  if (patch === undefined || typeof commit !== 'string') return { ...followUp, metadata: rest };
  // With the patch, the commit that the chain is judged against was the one that it begins from.
  const { follow_up_base: base = followUp.base_ref } = rest;
  return {
    ...followUp,
    base_ref: commit,
    metadata: { ...rest, follow_up_from: commit, follow_up_base: base },
  };
}

const OMISSION = '\n[… the middle was left out so that the result fits into a frame …]\n';

/** Removes `excessBytes` (as encoded) from the middle. */
function shortened(output: unknown, excessBytes: number): string {
  if (typeof output !== 'string') return '';
  const sentBytes = (text: string) => Buffer.byteLength(JSON.stringify(text));
  const targetBytes = Math.max(sentBytes(output) - excessBytes - OMISSION.length, 0);
  let fits = 0;
  let tooMany = output.length;
  while (tooMany - fits > 1) {
    const keep = Math.floor((fits + tooMany) / 2);
    if (sentBytes(ends(output, keep)) <= targetBytes) fits = keep;
    else tooMany = keep;
  }
  return ends(output, fits);
}

function ends(text: string, keepChars: number): string {
  const head = text.slice(0, Math.ceil(keepChars / 2));
  const tail = keepChars > 1 ? text.slice(-Math.floor(keepChars / 2)) : '';
  return (head + OMISSION + tail).replaceAll(/\p{Surrogate}/gu, '');
}

const MAX_DETAIL_CHARS = 2_000;
const MAX_DETAILS = 50;

/** Cuts every string and list of the result to a size that always fits. */
const essentials = (result: Fields): Fields => trimmed(result, 0) as Fields;

function trimmed(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cut(value, MAX_DETAIL_CHARS);
  if (Array.isArray(value))
    return depth > 3 ? [] : value.slice(0, MAX_DETAILS).map((one) => trimmed(one, depth + 1));
  if (!isRecord(value)) return value;
  if (depth > 3) return {};
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_DETAILS)
      .map(([key, one]) => [key, trimmed(one, depth + 1)]),
  );
}

function without(fields: Fields, key: string): Fields {
  const { [key]: _left, ...rest } = fields;
  return rest;
}
