/**
 * Encodes a worker's frames so that the public hub accepts them: rounds integer fields, cuts long strings, and limits the size of the
 * encoded frame. Pure.
 */
import { isRecord } from '../values/json.ts';
import { shorten, shortenMiddle } from '../values/shortening.ts';
import { MAX_FIELD_CHARS, MAX_FRAME_OUT_BYTES, MAX_PATCH_BYTES, PROTOCOL_VERSION } from './limits.ts';
import type { WorkerFrameInput } from './worker-frames.ts';

export interface EncodedFrame {
  text: string;
  /** Names of parts that were omitted so that the frame fits, as in `result.omitted`. */
  omitted: string[];
}

type Fields = Record<string, unknown>;

/** Encodes a frame with `protocol_version`. `maxBytes`: limit that the hub announced; at most 1 MiB. */
export function encodeWorkerFrame(
  frame: WorkerFrameInput,
  maxBytes: number = MAX_FRAME_OUT_BYTES,
): EncodedFrame {
  const limitBytes = Math.min(maxBytes, MAX_FRAME_OUT_BYTES);
  const cleanFields: Fields = { ...roundIntegers(shortenStrings(frame)), protocol_version: PROTOCOL_VERSION };
  const bounded = removeLargePatch(cleanFields);
  return fitFrame(bounded.fields, limitBytes, bounded.omitted);
}

/** Steps to make a frame smaller, in the order of docs/dev/protocol.md. Each step omits one more part. */
const omissionSteps: readonly { name: string; omit: (fields: Fields, excessBytes: number) => Fields }[] = [
  {
    name: 'verification_history',
    omit: (fields) =>
      editResult(omitField(fields, 'verification_history'), (result) =>
        omitField(result, 'verification_history'),
      ),
  },
  {
    name: 'patch',
    omit: (fields) =>
      editResult(fields, (result) =>
        removePatch(result, 'with the patch, the result was too large for one frame'),
      ),
  },
  {
    name: 'output',
    omit: (fields, excessBytes) =>
      editResult(fields, (result) => ({ ...result, output: shortenOutput(result.output, excessBytes) })),
  },
  // This step is needed only for thousands of files, checks or criteria. It always suffices, since the hub must receive a result in any
  // case.
  {
    name: 'details',
    omit: (fields) => editResult(omitField(fields, 'verification_report'), reduceResult),
  },
];

function fitFrame(fields: Fields, limitBytes: number, omittedBefore: string[]): EncodedFrame {
  const omitted = [...omittedBefore];
  let current = fields;
  let text = serialise(addOmittedNames(current, omitted));
  for (const { name, omit } of omissionSteps) {
    const excess = Buffer.byteLength(text) - limitBytes;
    if (excess <= 0) break;
    const next = omit(current, excess + 200);
    if (serialise(next).length === serialise(current).length) continue;
    current = next;
    if (!omitted.includes(name)) omitted.push(name);
    text = serialise(addOmittedNames(current, omitted));
  }
  return { text, omitted };
}

/** Adds the names of the omitted parts to the result. */
const addOmittedNames = (fields: Fields, omitted: string[]): Fields =>
  omitted.length === 0 ? fields : editResult(fields, (result) => ({ ...result, omitted }));

function serialise(fields: Fields): string {
  const text = JSON.stringify(fields);
  // JSON.stringify escapes a lone surrogate, and the hub's JSON parser rejects the escape.
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(fields, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\uFFFD') : value,
  );
}

function editResult(fields: Fields, edit: (result: Fields) => Fields): Fields {
  return isRecord(fields.result) ? { ...fields, result: edit(fields.result) } : fields;
}

const fieldLimits: ReadonlyMap<string, number> = new Map(Object.entries(MAX_FIELD_CHARS));

const shortenStrings = (frame: object): Fields =>
  Object.fromEntries(
    Object.entries(frame).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' ? shorten(value, fieldLimits.get(key) ?? Infinity) : value,
    ]),
  );

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

/** Fields whose whole content comes from this worker, so that their numbers may be rounded. */
const workerFields = new Set(['execution_event', 'events', 'result', 'used']);

/** Rounds the integer fields of the frame, of its events and of its result. Metadata of other programs stays unchanged. */
const roundIntegers = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (typeof value === 'number' && integerFields.has(key)) return [key, toSafeInteger(value)];
      if (!workerFields.has(key)) return [key, value];
      if (Array.isArray(value))
        return [key, value.map((item) => (isRecord(item) ? roundIntegers(item) : item))];
      return [key, isRecord(value) ? roundIntegers(value) : value];
    }),
  );

/**
 * Rounds a number and limits it to the safe integers. JSON writes larger numbers with an exponent, which the hub does not accept as an
 * integer.
 */
const toSafeInteger = (value: number): number =>
  Number.isNaN(value)
    ? 0
    : Math.min(Math.max(Math.round(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

function removeLargePatch(fields: Fields): { fields: Fields; omitted: string[] } {
  const changes = isRecord(fields.result) ? fields.result.changes : undefined;
  const patch = isRecord(changes) ? changes.patch : undefined;
  if (typeof patch !== 'string' || Buffer.byteLength(patch) <= MAX_PATCH_BYTES)
    return { fields, omitted: [] };
  const reason = `the patch is larger than ${MAX_PATCH_BYTES} bytes`;
  return { fields: editResult(fields, (result) => removePatch(result, reason)), omitted: ['patch'] };
}

/** Removes the patch from the changes, and its copy from the follow-up, which then refers to the commit instead. */
function removePatch(result: Fields, reason: string): Fields {
  const { changes, follow_up: followUp } = result;
  return {
    ...result,
    ...(isRecord(changes) &&
      changes.patch !== '' && { changes: { ...changes, patch: '', patch_omitted: reason } }),
    ...(isRecord(followUp) &&
      isRecord(followUp.metadata) && {
        follow_up: removeFollowUpPatch(followUp, followUp.metadata, isRecord(changes) && changes.head_commit),
      }),
  };
}

/** Removes the patch from a follow-up. The follow-up then refers to the commit with the work, if there is one. */
export function removeFollowUpPatch(followUp: Fields, metadata: Fields, commit: unknown): Fields {
  const { follow_up_patch: patch, ...rest } = metadata;
  if (patch === undefined || typeof commit !== 'string') return { ...followUp, metadata: rest };
  // A follow-up with a patch starts from the base of the whole chain.
  const { follow_up_base: base = followUp.base_ref } = rest;
  return {
    ...followUp,
    base_ref: commit,
    metadata: { ...rest, follow_up_from: commit, follow_up_base: base },
  };
}

const OMISSION_NOTE = '\n[… the middle was omitted so that the result fits into a frame …]\n';

/** Removes at least `excessBytes` of encoded text from the middle of the output. */
function shortenOutput(output: unknown, excessBytes: number): string {
  if (typeof output !== 'string') return '';
  const sentBytes = (text: string) => Buffer.byteLength(JSON.stringify(text));
  const omitMiddle = (maxChars: number) => shortenMiddle(output, maxChars, () => OMISSION_NOTE);
  const targetBytes = Math.max(sentBytes(output) - excessBytes - OMISSION_NOTE.length, 0);
  let fittingChars = 0;
  let excessiveChars = output.length;
  while (excessiveChars - fittingChars > 1) {
    const middleChars = Math.floor((fittingChars + excessiveChars) / 2);
    if (sentBytes(omitMiddle(middleChars)) <= targetBytes) fittingChars = middleChars;
    else excessiveChars = middleChars;
  }
  return omitMiddle(fittingChars);
}

const MAX_DETAIL_CHARS = 2_000;
const MAX_DETAILS = 50;

/** Shortens every string and list of the result to a size that always fits. */
const reduceResult = (result: Fields): Fields => trimValue(result, 0) as Fields;

function trimValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shorten(value, MAX_DETAIL_CHARS);
  if (Array.isArray(value))
    return depth > 3 ? [] : value.slice(0, MAX_DETAILS).map((item) => trimValue(item, depth + 1));
  if (!isRecord(value)) return value;
  if (depth > 3) return {};
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_DETAILS)
      .map(([key, item]) => [key, trimValue(item, depth + 1)]),
  );
}

function omitField(fields: Fields, key: string): Fields {
  const { [key]: _left, ...rest } = fields;
  return rest;
}
