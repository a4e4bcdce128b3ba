import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import { shellWords } from '../../../sidecar/values/shell-word.ts';
import { fillCommand, type CommandTemplate } from '../../../sidecar/tools/own/command-template.ts';

type Args = Record<string, string | number | boolean>;
const fill = (template: CommandTemplate, args: Args, trusted: string[] = []) =>
  fillCommand(template, args, {
    names: new Set(['name', 'count', 'filter']),
    trusted: new Set(trusted),
  });
const argv = (template: CommandTemplate, args: Args, trusted?: string[]): string[] => {
  const filled = fill(template, args, trusted);
  if (!filled.ok) throw new Error(filled.message);
  return filled.argv;
};

describe('a command with places', () => {
  test('is filled, a whole argument or a part of one', () => {
    expect(argv(['run', '{name}', '--count={count}', 'x{name}y'], { name: 'a b', count: 3 })).toEqual([
      'run',
      'a b',
      '--count=3',
      'xa by',
    ]);
  });

  test('leaves out what has no value, a group as a whole', () => {
    const template = ['run', '{name}', ['-k', '{filter}'], '--count={count}', 'end'];
    expect(argv(template, { name: 'a' })).toEqual(['run', 'a', 'end']);
    expect(argv(template, { name: 'a', filter: 'b' })).toEqual(['run', 'a', '-k', 'b', 'end']);
  });

  test('keeps braces that are no places, and does not fill what a value brings', () => {
    expect(argv(['awk', '{print}', '{other}', '{name}{count}'], { name: '{count}', count: 1 })).toEqual([
      'awk',
      '{print}',
      '{other}',
      '{count}1',
    ]);
  });

  test('takes no value for an option', () => {
    expect(fill(['git', 'log', '{name}'], { name: '--output=/x' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('must not begin with "-"'),
    });
    expect(argv(['git', 'log', '--', '{name}'], { name: '--output=/x' })).toContain('--output=/x');
    expect(argv(['head', '--lines={name}'], { name: '-5' })).toEqual(['head', '--lines=-5']);
    expect(argv(['add', '{count}'], { count: -5 })).toEqual(['add', '-5']);
    expect(argv(['ls', '{filter}'], { filter: '-l' }, ['filter'])).toEqual(['ls', '-l']);
  });

  test('refuses what no program can be given', () => {
    expect(fill(['echo', '{name}'], { name: 'a\0b' })).toMatchObject({ ok: false });
    expect(fill(['echo', '{name}'], { name: 'é'.repeat(60_000) })).toMatchObject({
      ok: false,
      message: expect.stringContaining('120000 bytes'),
    });
  });

  test('never becomes more arguments than it has, whatever the values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (name, filter) => {
        const filled = fill(['run', '--', '{name}', '-f={filter}'], { name, filter });
        if (filled.ok) expect(filled.argv).toEqual(['run', '--', name, `-f=${filter}`]);
        else expect(name + filter).toContain('\0');
      }),
    );
  });
});

test('a command is shown as a person would type it', () => {
  expect(shellWords(['rm', '-rf', '/', "it's", ''])).toBe(`rm -rf / 'it'\\''s' ''`);
});
