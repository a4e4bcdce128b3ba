/** How the dashboard turns events into a timeline. */
import { expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import type { Json } from './hub-fixture.ts';
import { execution, load } from './page-modules.ts';
import { eventTypes } from '../../sidecar/protocol/events.ts';

test('takes any events without a throw, and every row has a place in time', async () => {
  const { Timeline } = await load('timeline-model.js');
  const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant(undefined), fc.boolean());
  const body = fc.record(
    {
      event_type: fc.constantFrom(...eventTypes, 'odd'),
      text: fc.string(),
      phase: fc.constantFrom('started', 'finished', 'odd'),
      call_id: fc.constantFrom('a', 'b'),
      tool_name: fc.string(),
      args_summary: fc.oneof(fc.json(), fc.string()),
      result_summary: fc.string(),
      repaired: value,
      iteration: fc.oneof(fc.integer({ min: -1, max: 5 }), value),
      timestamp: fc.oneof(fc.nat(), value),
      duration_ms: fc.oneof(fc.nat(), value),
      tokens_so_far: value,
      cost_usd_so_far: value,
    },
    { requiredKeys: ['event_type'] },
  );
  fc.assert(
    fc.property(fc.array(body, { maxLength: 40 }), (bodies) => {
      const timeline = new Timeline();
      bodies.forEach((one, index) => timeline.add(execution(index + 1, one)));
      for (const row of timeline.rows) {
        expect(Number.isFinite(row.startMs)).toBe(true);
        expect(row.endMs === undefined || Number.isFinite(row.endMs)).toBe(true);
        expect(typeof row.label).toBe('string');
      }
      expect(new Set(timeline.rows.map((row: Json) => row.key)).size).toBe(timeline.rows.length);
    }),
    { numRuns: 200 },
  );
});
