import { describe, expect, test } from '@jest/globals';
import { comparePaired, estimate } from '../../sidecar/evaluate/statistics.ts';

describe('estimates', () => {
  test('the mean counts each task once, however often it was run', () => {
    expect(estimate([[1, 1, 1], [0]]).mean).toBe(0.5);
  });

  test('the interval holds the mean, is the same each time, and shrinks with more tasks', () => {
    const few = estimate(Array.from({ length: 10 }, (_value, index) => [index % 2]));
    const many = estimate(Array.from({ length: 200 }, (_value, index) => [index % 2]));
    expect(few.low).toBeLessThan(0.5);
    expect(few.high).toBeGreaterThan(0.5);
    expect(many.high - many.low).toBeLessThan(few.high - few.low);
    // The normal approximation of 200 halves: 0.5 ± 1.645 × 0.0354.
    expect(many.low).toBeCloseTo(0.442, 1);
    expect(estimate([[1], [0], [1]])).toEqual(estimate([[1], [0], [1]]));
  });

  test('nothing to estimate is 0', () => {
    expect(estimate([])).toEqual({ mean: 0, low: 0, high: 0 });
  });
});

describe('comparisons', () => {
  const pairs = (better: number, same: number): [number, number][] => [
    ...Array.from({ length: better }, (): [number, number] => [1, 0]),
    ...Array.from({ length: same }, (): [number, number] => [1, 1]),
  ];

  test('one task of thirty may be noise, ten of thirty are not', () => {
    expect(comparePaired(pairs(1, 29))).toMatchObject({ tasks: 30, isReal: false });
    expect(comparePaired(pairs(10, 20))).toMatchObject({ tasks: 30, isReal: true, p: 0 });
  });

  test('with few tasks nothing is called a difference', () => {
    expect(comparePaired(pairs(2, 0)).isReal).toBe(false);
    expect(comparePaired([])).toMatchObject({ tasks: 0, isReal: false, p: 1 });
  });

  test('what goes both ways is noise', () => {
    const both: [number, number][] = [
      ...pairs(8, 0),
      ...pairs(8, 0).map(([a, b]): [number, number] => [b, a]),
    ];
    const compared = comparePaired(both);
    expect(compared.difference.mean).toBe(0);
    expect(compared.isReal).toBe(false);
    expect(compared.p).toBeGreaterThan(0.5);
  });
});
