import { expect, test } from '@jest/globals';
import { parsePlan } from '../../sidecar/plan/parse.ts';

test.each(['*(', '\\', '### ', '- [ ] a\n', '**a:** ', ',', '[', '---\n', '\n'])(
  'a plan document full of %j is read to its end',
  (piece) => {
    const repeated = piece.repeat(250_000 / piece.length);
    // In other than linear time this would not come back.
    expect(() => parsePlan(`## Acceptance Criteria\n- [ ] a ${repeated})*`)).not.toThrow();
    expect(() => parsePlan(`## Decisions Made\n### a\n${repeated}`)).not.toThrow();
  },
);
