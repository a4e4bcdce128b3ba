/** Which models fit a machine, and which are recommended. */
import { describe, expect, test } from '@jest/globals';
import { fileBytes, fitOf, recommend } from '../../sidecar/model/recommend.ts';

const GIB = 1024 ** 3;
const machine = (card: number | undefined, memory: number) => ({
  ...(card !== undefined && { cardBytes: card * GIB }),
  memoryBytes: memory * GIB,
});

test.each([
  [4.7e9, machine(8, 16), 'card'],
  [9e9, machine(8, 32), 'split'],
  [9e9, machine(12, 16), 'card'],
  [4.7e9, machine(undefined, 16), 'memory'],
  [20e9, machine(undefined, 16), 'too large'],
  [40e9, machine(24, 16), 'too large'],
])('a file of %d bytes on %j: %s', (sizeBytes, memory, fit) => {
  expect(fitOf(sizeBytes, memory)).toBe(fit);
});

test('the estimate of a file is near what the library has', () => {
  expect(fileBytes(7.6) / 4.7e9).toBeCloseTo(1, 1);
  expect(fileBytes(1.5) / 0.986e9).toBeCloseTo(1, 0);
});

describe('recommended', () => {
  const names = (card: number | undefined, memory: number, cores = 8) =>
    recommend({ ...machine(card, memory), cores }).map(({ name }) => name);

  test('are the most capable that are whole on the card', () => {
    expect(names(8, 32)).toEqual(['qwen2.5-coder:7b', 'qwen2.5-coder:3b', 'qwen2.5-coder:1.5b']);
    expect(names(24, 64).slice(0, 2)).toEqual(['qwen3-coder:30b', 'devstral:24b']);
    expect(recommend({ ...machine(8, 32), cores: 2 }).every(({ fit }) => fit === 'card')).toBe(true);
  });

  test('are small or sparse ones where a processor does the work', () => {
    expect(names(undefined, 8)).toEqual(['qwen2.5-coder:3b', 'qwen2.5-coder:1.5b', 'qwen2.5-coder:0.5b']);
    expect(names(undefined, 64)[0]).toBe('qwen3-coder:30b');
    expect(names(undefined, 64, 2)).toEqual(['qwen2.5-coder:1.5b', 'qwen2.5-coder:0.5b']);
    expect(names(1, 8)).toEqual(names(undefined, 8));
  });

  test('are none where nothing fits', () => {
    expect(names(undefined, 1)).toEqual([]);
  });
});
