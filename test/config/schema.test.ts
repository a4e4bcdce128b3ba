import { describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';

describe('the configuration schema', () => {
  test('an empty file is a valid one with every default', () => {
    const config = configSchema.parse({});
    expect(config.worker.concurrency).toBe(1);
    expect(config.limits.maxIterationsByTier).toEqual({ trivial: 5, standard: 10, complex: 20 });
    expect(config.workflow.plannedTiers).toEqual([]);
  });

  test('an unknown key is an error', () => {
    expect(configSchema.safeParse({ worker: { concurency: 2 } }).success).toBe(false);
  });
});
