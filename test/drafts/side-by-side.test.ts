import { describe, expect, test } from '@jest/globals';
import { SideBySide } from '../../sidecar/drafts/side-by-side.ts';

const times = { tookMs: 5_000, workedMs: 4_900, readMs: 400, writtenMs: 4_500, writtenTokens: 300 };
const queued = { ...times, tookMs: 10_000 };

function wantedAfter(answers: (typeof times)[], slots?: number): number[] {
  const lanes = new SideBySide(() => slots);
  return answers.map((answer) => {
    lanes.learn(answer);
    return lanes.wanted;
  });
}

describe('how many drafts are asked for at once', () => {
  test('more as long as none has to wait', () => {
    const answers = Array.from({ length: 9 }, () => times);
    expect(wantedAfter(answers)).toEqual([2, 2, 4, 4, 4, 4, 8, 8, 8]);
  });

  test('eight at most where nobody knows the slots', () => {
    const answers = Array.from({ length: 40 }, () => times);
    expect(Math.max(...wantedAfter(answers))).toBe(8);
    expect(Math.max(...wantedAfter(answers, 32))).toBe(32);
  });

  test('as many as had a slot of their own', () => {
    expect(wantedAfter([times, queued, times, times])).toEqual([2, 1, 1, 1]);
    expect(wantedAfter([times, times, times, times, queued, times, times])).toEqual([2, 2, 4, 4, 2, 2, 2]);
  });

  test('one where reading takes as long as writing: each slot would read the question again', () => {
    const onProcessor = {
      tookMs: 40_000,
      workedMs: 40_000,
      readMs: 25_000,
      writtenMs: 15_000,
      writtenTokens: 300,
    };
    expect(wantedAfter([onProcessor, times, times])).toEqual([1, 1, 1]);
  });

  test('a short answer after the first one says nothing of reading, and those that wait are still seen', () => {
    const short = { tookMs: 1_000, workedMs: 1_000, readMs: 400, writtenMs: 500, writtenTokens: 33 };
    expect(wantedAfter([times, short, { ...short, tookMs: 2_000 }, short])).toEqual([2, 2, 1, 1]);
  });

  test('never more than the slots that are known', () => {
    const answers = Array.from({ length: 6 }, () => times);
    expect(wantedAfter(answers, 1)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(wantedAfter(answers, 3)).toEqual([2, 2, 3, 3, 3, 3]);
  });

  test('as many as write more together than fewer do', () => {
    const slower = (factor: number) => ({
      ...times,
      tookMs: 4_900 * factor,
      workedMs: 4_900 * factor,
      writtenMs: 4_500 * factor,
    });
    // Two write as much as one, or hardly more.
    expect(wantedAfter([times, slower(2), slower(2), times])).toEqual([2, 2, 1, 1]);
    expect(wantedAfter([times, slower(1.9), slower(1.9), times])).toEqual([2, 2, 1, 1]);
    // Four write less than two did.
    const two = [slower(1.2), slower(1.2)];
    const four = [slower(2.5), slower(2.5), slower(2.5), slower(2.5)];
    expect(wantedAfter([times, ...two, ...four])).toEqual([2, 2, 4, 4, 4, 4, 2]);
    expect(wantedAfter([times, ...two, ...four], 4)).toEqual([2, 2, 4, 4, 4, 4, 2]);
  });

  test('a server that counts nothing is judged by who has to wait', () => {
    const uncounted = { ...times, writtenMs: 0, readMs: 0, writtenTokens: 0 };
    expect(wantedAfter([times, uncounted, uncounted, uncounted])).toEqual([2, 2, 4, 4]);
  });
});
