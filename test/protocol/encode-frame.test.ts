import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import * as z from 'zod';
import { encodeWorkerFrame } from '../../sidecar/protocol/encode-frame.ts';
import { executionEventFrameSchema } from '../../sidecar/protocol/events.ts';
import { parseWorkerFrame, type WorkerFrameInput } from '../../sidecar/protocol/frames.ts';
import { taskResultSchema } from '../../sidecar/protocol/result.ts';
import { workerFrameSchemas } from '../../sidecar/protocol/worker-frames.ts';
import { MAX_FRAME_OUT_BYTES, MAX_PATCH_BYTES } from '../../sidecar/protocol/limits.ts';

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

  test('integers are forced, in the frame, its event and its result, never in metadata', () => {
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
    const event = { event_type: 'tool_call' as const, text: 'x', duration_ms: 3.7 };
    expect(
      encoded({ type: 'task_progress', task_id: 't', execution_event: { ...event, events: [event] } }).frame,
    ).toMatchObject({ execution_event: { duration_ms: 4, events: [{ duration_ms: 4 }] } });
  });

  test.each(Object.entries(workerFrameSchemas))('whole numbers of %s are written as such', (type, schema) => {
    const names = wholeNumbersOf(schema);
    const { frame } = encoded({ type, ...valuesOf(names, 1.4) } as WorkerFrameInput);
    expect(frame).toMatchObject(valuesOf(names, 1));
  });

  test('whole numbers of an event and of a result are written as such', () => {
    const ofEvent = wholeNumbersOf(executionEventFrameSchema);
    const event = { event_type: 'status', text: '', ...valuesOf(ofEvent, 1.4) } as const;
    const progress: WorkerFrameInput = { type: 'task_progress', task_id: 't', execution_event: event };
    expect(encoded(progress).frame.execution_event).toMatchObject(valuesOf(ofEvent, 1));
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
    expect(last.frame.result.output).toMatch(/^BEGIN[^]*middle was left out[^]*END$/);
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
