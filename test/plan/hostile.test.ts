import { expect, test } from '@jest/globals';
import { parsePlan } from '../../sidecar/plan/parse.ts';
import { processorMs, slowness } from '../support/pace.ts';

test.each(['*(', '\\', '### ', '- [ ] a\n', '**a:** ', ',', '[', '---\n', '\n'])(
  'a plan document full of %j is read in linear time',
  (piece) => {
    const repeated = piece.repeat(250_000 / piece.length);
    const tookMs = processorMs(() => {
      parsePlan(`## Acceptance Criteria\n- [ ] a ${repeated})*`);
      parsePlan(`## Decisions Made\n### a\n${repeated}`);
    });
    expect(tookMs).toBeLessThan(1_500 * slowness());
  },
);
