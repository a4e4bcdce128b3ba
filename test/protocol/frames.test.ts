import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { MAX_FRAME_IN_BYTES } from '../../sidecar/protocol/limits.ts';
import { parseHubFrame, parseWorkerFrame } from '../../sidecar/protocol/frames.ts';

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
