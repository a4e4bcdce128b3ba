/** Searches that remember, and budgets that keep the reading of an answer linear. */
import { describe, expect, test } from '@jest/globals';
import { isSpace, Source } from '../../../sidecar/model/parsing/source.ts';
import { MAX_REPAIR_BYTES } from '../../../sidecar/values/repair-json.ts';

const budgetOf = (text: string) => text.length * 16 + 64 * 1024;

describe('a search for a mark', () => {
  test('finds the first one from each position on, in any order of asking', () => {
    const source = new Source('a.b.c');
    expect([0, 1, 2, 4, 3, 0].map((from) => source.find('.', from))).toEqual([1, 1, 3, -1, 3, 1]);
  });

  test('costs what it goes through, and nothing where it is known', () => {
    const source = new Source(`..${'x'.repeat(98)}`);
    expect(source.find('.', 1)).toBe(1);
    expect(source.find('.', 1)).toBe(1);
    expect(source.find('!', 60)).toBe(-1);
    expect(source.find('!', 60)).toBe(-1);
    expect(source.find('!', 80)).toBe(-1);
    expect(source.spend(budgetOf(source.text) - 40)).toBe(true);
    expect(source.spend(1)).toBe(false);
    expect(source.find('.', 0)).toBe(-1);
  });

  test('finds the first of several, in any order of asking', () => {
    const source = new Source('a;b.c;d');
    const marks = [';', '.', '!'];
    expect([0, 1, 2, 4, 6, 3, 0].map((from) => source.findAny(marks, from))).toEqual([1, 1, 3, 5, -1, 3, 1]);
    expect(source.findAny(['.', ';'], 0)).toBe(1);
  });

  test('for several costs nothing where it is known', () => {
    const source = new Source('x'.repeat(100));
    const marks = ['.', '!'];
    for (const from of [0, 0, 10, 20]) expect(source.findAny(marks, from)).toBe(-1);
    // Known for the one mark, not for the other.
    expect(source.findAny(['.', '?'], 50)).toBe(-1);
    expect(source.spend(budgetOf(source.text) - 250)).toBe(true);
    expect(source.spend(1)).toBe(false);
  });

  test('with a pattern goes through the text once', () => {
    const source = new Source('a1b2');
    let runs = 0;
    const pattern = /\d/g;
    const exec = pattern.exec.bind(pattern);
    pattern.exec = (text) => {
      runs += 1;
      return exec(text);
    };
    const at = (from: number) => source.findMatch(pattern, from)?.index;
    expect([at(0), at(1), at(2), at(3), at(4), at(4)]).toEqual([1, 1, 3, 3, undefined, undefined]);
    expect(runs).toBe(3);
    expect([at(5), at(0)]).toEqual([undefined, 1]);
    expect(runs).toBe(4);
  });
});

describe('a budget', () => {
  test('of steps is spent to the last one', () => {
    const source = new Source('abc');
    expect(source.spend(budgetOf('abc'))).toBe(true);
    expect(source.spend(0)).toBe(true);
    expect(source.spend(1)).toBe(false);
  });

  test('of repairs is one of the largest size, or 128 small ones', () => {
    expect(new Source('').spendRepair(MAX_REPAIR_BYTES)).toBe(true);
    const one = new Source('');
    expect([one.spendRepair(MAX_REPAIR_BYTES), one.spendRepair(1)]).toEqual([true, false]);
    const many = new Source('');
    const fits = Math.floor(MAX_REPAIR_BYTES ** 2 / (512 * 16 * 1024));
    expect(fits).toBe(128);
    for (let i = 0; i < fits; i += 1) expect(many.spendRepair(i === 0 ? 512 : 1)).toBe(true);
    expect(many.spendRepair(1)).toBe(false);
  });

  test('of searches is three times the text', () => {
    const source = new Source('x'.repeat(10));
    source.spendSearch(30);
    expect(source.maySearchOn).toBe(true);
    source.spendSearch(1);
    expect(source.maySearchOn).toBe(false);
  });

  test('of failures is 500', () => {
    const source = new Source('');
    for (let i = 0; i < 499; i += 1) source.countFailure();
    expect(source.isPatient).toBe(true);
    source.countFailure();
    expect(source.isPatient).toBe(false);
  });
});

test('white space is what JSON and people take for it', () => {
  expect([9, 10, 11, 12, 13, 32, 0xa0, 0xfeff].every((code) => isSpace(code))).toBe(true);
  expect([0, 8, 14, 33, 95, NaN].some((code) => isSpace(code))).toBe(false);
  expect(new Source(' \n\u00A0\uFEFFa').skipSpace(0)).toBe(4);
  expect(new Source('  ').skipSpace(1)).toBe(2);
});
