import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { format, resolveConfig } from 'prettier';
import * as z from 'zod';
import { protocolJsonSchema, protocolMarkdown } from '../../../scripts/protocol-reference.ts';
import { encodeWorkerFrame } from '../../../sidecar/base/protocol/encode-frame.ts';
import { executionEventFrameSchema } from '../../../sidecar/base/protocol/events.ts';
import {
  failureCodeOf,
  finalFailureCodes,
  isFinalFailure,
} from '../../../sidecar/base/protocol/failure-codes.ts';
import {
  parseHubFrame,
  parseWorkerFrame,
  type WorkerFrameInput,
} from '../../../sidecar/base/protocol/frames.ts';
import {
  MAX_FRAME_IN_BYTES,
  MAX_FRAME_OUT_BYTES,
  MAX_PATCH_BYTES,
} from '../../../sidecar/base/protocol/limits.ts';
import { taskResultSchema } from '../../../sidecar/base/protocol/result.ts';
import { workerFrameSchemas } from '../../../sidecar/base/protocol/worker-frames.ts';
import * as fc from '../../support/properties.ts';

const worker = (frame: object) => parseWorkerFrame(JSON.stringify(frame));
const hub = (frame: object) => parseHubFrame(JSON.stringify(frame));

describe('reading a frame', () => {
  test('only the id of an assignment has to be there; null is the same as missing', () => {
    expect(
      hub({ type: 'task_assign', task_id: 't1', repo: null, description: null, complexity: null }),
    ).toMatchObject({
      ok: true,
      frame: { task_id: 't1', description: '', metadata: {}, generation: 0, skip_verification: false },
    });
  });

  test('metadata is passed through untouched', () => {
    const metadata = { a: [1, null, { b: 'x' }], 'odd key': true };
    const read = hub({ type: 'task_assign', task_id: 't1', metadata });
    expect(read.ok && read.frame.type === 'task_assign' && read.frame.metadata).toEqual(metadata);
  });

  test('a bad assignment still tells which task and generation to answer for', () => {
    expect(
      hub({ type: 'task_assign', task_id: 't1', generation: 3, verification_steps: 'none' }),
    ).toMatchObject({
      ok: false,
      code: 'invalid_fields',
      type: 'task_assign',
      taskId: 't1',
      generation: 3,
    });
  });

  test('an unknown field is ignored and an unknown type is told apart from a mistake', () => {
    expect(hub({ type: 'pong', timestamp: 1, colour: 'red' })).toEqual({
      ok: true,
      frame: { type: 'pong', timestamp: 1 },
    });
    expect(hub({ type: 'agent_joined', agent: {} })).toMatchObject({ ok: false, code: 'unknown_type' });
    expect(worker({ type: 'constructor' })).toMatchObject({ ok: false, code: 'unknown_type' });
  });

  test('features that a hub leaves out are off', () => {
    const read = hub({ type: 'identified', agent_id: 'a', features: { steer: true } });
    expect(read).toMatchObject({ ok: true, frame: { features: { steer: true, event_batch: false } } });
  });

  test.each([
    ['a generation that is no integer', { type: 'task_complete', task_id: 't', generation: 1.5 }],
    ['a missing generation', { type: 'task_failed', task_id: 't', error: 'x' }],
    [
      'an error of more than 2000 characters',
      { type: 'task_failed', task_id: 't', generation: 1, error: 'x'.repeat(2001) },
    ],
    [
      'a report that is no object',
      { type: 'task_complete', task_id: 't', generation: 1, verification_report: 'ok' },
    ],
    ['a missing id', { type: 'task_accepted' }],
  ])('%s is refused', (_what, frame) => {
    expect(worker(frame)).toMatchObject({ ok: false, code: 'invalid_fields' });
  });

  test('an event of another kind of worker keeps its text, and nonsense costs the event only', () => {
    const foreign = { event_type: 'step', text: 'hello', tokens_so_far: null };
    expect(worker({ type: 'task_progress', task_id: 't', execution_event: foreign })).toMatchObject({
      ok: true,
      frame: { execution_event: { event_type: 'status', text: 'hello' } },
    });
    const odd = { event_type: 'token', text: 'x', duration_ms: 'long' };
    expect(worker({ type: 'task_progress', task_id: 't', execution_event: odd })).toMatchObject({
      ok: true,
      frame: { execution_event: { event_type: 'token', text: 'x' } },
    });
    expect(worker({ type: 'task_progress', task_id: 't', execution_event: 7 })).toMatchObject({
      ok: true,
      frame: { task_id: 't', execution_event: undefined },
    });
  });

  test('size and depth are bounded before the text is parsed', () => {
    expect(parseHubFrame(`"${'x'.repeat(MAX_FRAME_IN_BYTES)}"`)).toMatchObject({ code: 'too_large' });
    const deep = `{"type":"steer","a":${'['.repeat(100_000)}`;
    expect(parseHubFrame(deep)).toMatchObject({ code: 'too_deep' });
    expect(hub({ type: 'steer', task_id: 't', text: '[['.repeat(200) })).toMatchObject({ ok: true });
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.object().map((value) => JSON.stringify(value)),
        ),
        (text) => {
          expect(typeof parseHubFrame(text).ok).toBe('boolean');
          expect(typeof parseWorkerFrame(text).ok).toBe('boolean');
        },
      ),
    );
  });
});

const encoded = (frame: WorkerFrameInput, maxBytes?: number) => {
  const { text, omitted } = encodeWorkerFrame(frame, maxBytes);
  return { frame: JSON.parse(text), omitted, bytes: Buffer.byteLength(text), text };
};
const result = (over: object = {}) => ({
  status: 'partial',
  output: 'done',
  changes: { base_commit: 'a', files: [], patch: 'diff' },
  follow_up: {
    description: 'rest',
    base_ref: 'a',
    metadata: { follow_up_of: 't', follow_up_depth: 1, follow_up_patch: 'diff' },
  },
  ...over,
});
const complete = (over: object = {}): WorkerFrameInput => ({
  type: 'task_complete',
  task_id: 't',
  generation: 1,
  result: result(),
  ...over,
});

const valuesOf = (names: readonly string[], value: number) =>
  Object.fromEntries(names.map((name) => [name, value]));
/** Fields of its own that the schema wants to be whole numbers; the version is added in the end. */
function wholeNumbersOf(schema: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const isWhole = (field: unknown) => /^\{(?:"anyOf":\[\{)?"type":"integer"/u.test(JSON.stringify(field));
  return Object.keys(properties).filter((name) => name !== 'protocol_version' && isWhole(properties[name]));
}

describe('writing a frame', () => {
  test('the version is added and everything that fits stays as it is', () => {
    expect(encoded(complete({ verification_history: [{ run_number: 1 }] }))).toMatchObject({
      frame: { ...complete({ verification_history: [{ run_number: 1 }] }), protocol_version: 1 },
      omitted: [],
    });
  });

  test('integers are forced in the frame and its result, never in metadata', () => {
    const { frame } = encoded(
      complete({
        generation: 2.4,
        tokens_used: Number.NaN,
        result: result({
          execution_ms: 12.6,
          tokens_in: 1e300,
          follow_up: { metadata: { duration_ms: 1.5 } },
        }),
      }),
    );
    expect(frame).toMatchObject({
      generation: 2,
      tokens_used: 0,
      result: {
        execution_ms: 13,
        tokens_in: Number.MAX_SAFE_INTEGER,
        follow_up: { metadata: { duration_ms: 1.5 } },
      },
    });
  });

  test.each(Object.entries(workerFrameSchemas))('whole numbers of %s are written as such', (type, schema) => {
    const names = wholeNumbersOf(schema);
    const { frame } = encoded({ type, ...valuesOf(names, 1.4) } as WorkerFrameInput);
    expect(frame).toMatchObject(valuesOf(names, 1));
  });

  test('whole numbers of an event and of a result are written as such', () => {
    const ofEvent = wholeNumbersOf(executionEventFrameSchema);
    const event = { event_type: 'status', text: '', ...valuesOf(ofEvent, 1.4) } as const;
    const batch = { ...event, events: [event] };
    const progress: WorkerFrameInput = { type: 'task_progress', task_id: 't', execution_event: batch };
    const written = valuesOf(ofEvent, 1);
    expect(encoded(progress).frame.execution_event).toMatchObject({ ...written, events: [written] });
    const ofResult = wholeNumbersOf(taskResultSchema);
    const { frame } = encoded(complete({ result: valuesOf(ofResult, 1.4) }));
    expect(frame.result).toEqual(valuesOf(ofResult, 1));
  });

  test('over-long strings are cut to what the public hub accepts, characters whole', () => {
    const { frame } = encoded({ type: 'task_failed', task_id: 't', generation: 1, error: '😀'.repeat(3000) });
    expect(frame.error.length).toBeLessThanOrEqual(2000);
    expect(frame.error).toMatch(/^(😀)+…$/u);
    expect(encoded({ type: 'identify', agent_id: 'a'.repeat(200), token: 'x' }).frame.agent_id).toHaveLength(
      128,
    );
  });

  test('half a character becomes a replacement sign, which every JSON reader takes', () => {
    const { text } = encodeWorkerFrame(complete({ result: result({ output: 'a\ud83d b \\ud800' }) }));
    expect(JSON.parse(text).result.output).toBe('a\ufffd b \\ud800');
  });

  test('a patch over its own limit goes, also where the rest would fit', () => {
    const changes = { base_commit: 'a', files: [], patch: 'x'.repeat(MAX_PATCH_BYTES + 1) };
    const { frame, omitted } = encoded(complete({ result: result({ changes }) }));
    expect(omitted).toEqual(['patch']);
    expect(frame.result).toMatchObject({
      omitted: ['patch'],
      changes: { patch: '', patch_omitted: expect.stringContaining('larger than') },
    });
    expect(frame.result.follow_up.metadata).toEqual({ follow_up_of: 't', follow_up_depth: 1 });
  });

  test('a follow-up whose patch goes names the commit of the work instead', () => {
    const changes = { base_commit: 'a', head_commit: 'h', files: [], patch: 'x'.repeat(MAX_PATCH_BYTES + 1) };
    const { frame } = encoded(complete({ result: result({ changes }) }));
    expect(frame.result.follow_up).toMatchObject({
      base_ref: 'h',
      metadata: { follow_up_from: 'h', follow_up_base: 'a' },
    });
  });

  test('what does not fit is left out in order: history, patch, the middle of the output', () => {
    const big = 'x'.repeat(300_000);
    const heavy = (over: object = {}) =>
      complete({
        verification_history: [{ output: big }],
        result: result({
          changes: { files: [], patch: big },
          output: `BEGIN${'"\n'.repeat(150_000)}END`,
          ...over,
        }),
      });
    const steps = [1_000_000, 950_000, 620_000, 100_000].map((maxBytes) => encoded(heavy(), maxBytes));
    expect(steps.map((step) => step.omitted)).toEqual([
      ['verification_history'],
      ['verification_history'],
      ['verification_history', 'patch'],
      ['verification_history', 'patch', 'output'],
    ]);
    const last = steps[3]!;
    expect(last.bytes).toBeLessThanOrEqual(100_000);
    expect(last.bytes).toBeGreaterThan(98_000);
    expect(last.frame.result.output).toMatch(/^BEGIN[^]*middle was omitted[^]*END$/);
    expect(last.frame.result.omitted).toEqual(last.omitted);
  });

  test('even a result that is all details arrives', () => {
    const remaining = Array.from({ length: 40_000 }, (_, index) => `criterion ${index} ${'x'.repeat(50)}`);
    const { bytes, frame, omitted } = encoded(complete({ result: result({ remaining }) }));
    expect(bytes).toBeLessThanOrEqual(MAX_FRAME_OUT_BYTES);
    expect(omitted).toContain('details');
    expect(frame.result).toMatchObject({ status: 'partial', output: expect.any(String) });
  });

  test('every frame that was written can be read again', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3000 });
    const frame = fc.oneof<fc.Arbitrary<WorkerFrameInput>[]>(
      fc.record({
        type: fc.constant('task_failed' as const),
        task_id: fc.string({ minLength: 1, maxLength: 50 }),
        generation: fc.double(),
        error: text,
      }),
      fc.record({
        type: fc.constant('identify' as const),
        agent_id: fc.string({ minLength: 1, maxLength: 300 }),
        token: text,
        name: text,
        capacity: fc.integer({ min: 1 }),
      }),
      fc.record({
        type: fc.constant('task_complete' as const),
        task_id: fc.constant('t'),
        generation: fc.integer(),
        result: fc.record({ output: text, status: fc.constant('success') }),
        tokens_used: fc.double(),
      }),
    );
    fc.assert(
      fc.property(frame, fc.integer({ min: 2_000, max: 20_000 }), (one, maxBytes) => {
        const { text: sent } = encodeWorkerFrame(one, maxBytes);
        expect(parseWorkerFrame(sent)).toMatchObject({ ok: true, frame: { type: one.type } });
      }),
    );
  });
});

describe('failures that are final', () => {
  test.each([
    ['workspace_repo_missing: There is no git repository at /x', 'workspace_repo_missing', true],
    ['unsupported_target_type:claude', 'unsupported_target_type', true],
    ['model_error after 0 iterations: model_not_found: model x is not installed', 'model_not_found', true],
    ['model_error after 1 iteration: SANDBOX_UNAVAILABLE: no bwrap', 'SANDBOX_UNAVAILABLE', true],
    ['model_error after 0 iterations: model_unreachable: no Ollama server', 'model_unreachable', false],
    ['workspace_fetch_failed: Could not fetch: workspace_repo_missing: x', 'workspace_fetch_failed', false],
    ['stall after 4 iterations: nothing changed', undefined, false],
    ['the model said git_missing: yes', undefined, false],
    ['', undefined, false],
  ])('%j has the code %j', (error, code, final) => {
    expect([failureCodeOf(error), isFinalFailure(error)]).toEqual([code, final]);
  });

  test('each is explained to people', () => {
    const document = readFileSync('docs/ERRORS.md', 'utf8');
    expect(finalFailureCodes.filter((code) => !document.includes(`\`${code}\``))).toEqual([]);
  });
});

describe('the documents of the protocol', () => {
  test.each([
    ['docs/PROTOCOL.md', protocolMarkdown],
    ['docs/protocol.schema.json', () => JSON.stringify(protocolJsonSchema(), null, 2)],
  ])('%s is what the schemas say (node scripts/docs.mjs writes it)', async (path, generate) => {
    const wanted = await format(generate(), { ...(await resolveConfig(path)), filepath: path });
    expect(readFileSync(path, 'utf8')).toBe(wanted);
  });

  test('the JSON Schema accepts what the worker writes and refuses what the hub would', () => {
    const valid = new Ajv2020({ strict: false }).compile(protocolJsonSchema());
    const written = (frame: Parameters<typeof encodeWorkerFrame>[0]) =>
      JSON.parse(encodeWorkerFrame(frame).text);
    expect(valid(written({ type: 'ping' }))).toBe(true);
    expect(
      valid(written({ type: 'task_failed', task_id: 't', generation: 2.2, error: 'x'.repeat(9_000) })),
    ).toBe(true);
    expect(valid({ type: 'task_assign', task_id: 't', repo: null, metadata: null })).toBe(true);
    expect(valid({ type: 'task_failed', task_id: 't', generation: 'two' })).toBe(false);
    expect(valid({ type: 'task_assign' })).toBe(false);
  });
});
