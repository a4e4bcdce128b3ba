import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { coerceArguments } from '../../sidecar/tools/coercion.ts';

const coerced = (value: unknown, schema: object, required: string[] = ['v']) =>
  coerceArguments({ v: value }, { type: 'object', properties: { v: schema }, required }).v;

const list = { type: 'array', items: { type: 'string' } };
const point = { type: 'object', properties: { x: { type: 'integer' }, on: { type: 'boolean' } } };

describe('coerceArguments brings values into the type of the schema', () => {
  test.each<[string, unknown, object, unknown]>([
    ['true', 'true', { type: 'boolean' }, true],
    ['False as Python writes it', ' False ', { type: 'boolean' }, false],
    ['an integer', '42', { type: 'integer' }, 42],
    ['a negative integer with spaces', ' -7 ', { type: 'integer' }, -7],
    ['an integer with a zero fraction', '3.0', { type: 'integer' }, 3],
    ['a number', '2.5e3', { type: 'number' }, 2500],
    ['null where it is allowed', 'null', { type: ['integer', 'null'] }, null],
    ['an object as text', '{"x": "1", "on": "true"}', point, { x: 1, on: true }],
    ['an object in single quotes', "{'x': 1}", point, { x: 1 }],
    ['a list as text', '["a", "b"]', list, ['a', 'b']],
    ['a lone value', 'a', list, ['a']],
    ['a lone value of the items’ type', '5', { type: 'array', items: { type: 'integer' } }, [5]],
    ['a lone object', { x: '1' }, { type: 'array', items: point }, [{ x: 1 }]],
    ['items of a list', ['1', 2], { type: 'array', items: { type: 'integer' } }, [1, 2]],
    ['inside an object', { x: '1', y: '1' }, point, { x: 1, y: '1' }],
    ['a union', '7', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 7],
    ['an enumeration of numbers', '2', { enum: [1, 2] }, 2],
  ])('%s', (_title, value, schema, wanted) => expect(coerced(value, schema)).toEqual(wanted));
});

describe('coerceArguments goes never beyond what the schema says', () => {
  test.each<[string, unknown, object]>([
    ['text stays text: true', 'true', { type: 'string' }],
    ['text stays text: 42', '42', { type: 'string' }],
    ['text stays text: JSON', '{"a": 1}', { type: 'string' }],
    ['text in a union with text', '42', { type: ['integer', 'string'] }],
    ['no type, no change', '42', {}],
    ['no number', 'forty', { type: 'integer' }],
    ['a fraction is no integer', '4.2', { type: 'integer' }],
    ['an integer that does not fit', '99999999999999999999', { type: 'integer' }],
    ['hexadecimal is not meant', '0x10', { type: 'integer' }],
    ['yes is not true', 'yes', { type: 'boolean' }],
    ['1 is not true', 1, { type: 'boolean' }],
    ['a number is not text', 42, { type: 'string' }],
    ['a list where an object is wanted', '[1]', { type: 'object' }],
    ['null for a required list', null, list],
    ['broken JSON', '{"a', { type: 'array' }],
  ])('%s', (title, value, schema) => {
    const wanted = title === 'broken JSON' ? [value] : value;
    expect(coerced(value, schema)).toEqual(wanted);
  });
  test('what the schema does not know is kept', () => {
    expect(coerceArguments({ a: '1' }, { type: 'object', properties: {} })).toEqual({ a: '1' });
    expect(coerceArguments({ a: '1' }, undefined)).toEqual({ a: '1' });
  });
  test('a word for nothing is left out where text has no place', () => {
    const schema = {
      properties: {
        limit: { type: 'integer' },
        name: { type: 'string' },
        end: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
    };
    expect(coerceArguments({ limit: 'null', name: 'null', end: 'None' }, schema)).toEqual({
      name: 'null',
      end: null,
    });
  });
  test('null for an optional parameter is left out', () => {
    expect(coerced(null, { type: 'integer' }, [])).toBeUndefined();
    expect(coerced(null, { type: ['integer', 'null'] }, [])).toBeNull();
  });
});

describe('coerceArguments with any input', () => {
  const schemas = [point, list, { type: 'object', properties: { a: list, b: point, c: { type: 'number' } } }];
  test('never throws, never changes what it was given', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(...schemas), (args, schema) => {
        const before = JSON.stringify(args);
        coerceArguments(args, schema);
        expect(JSON.stringify(args)).toBe(before);
      }),
    );
  });
  test('a schema of any shape does no harm', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, schema) => {
        coerceArguments({ v: value }, { properties: { v: schema } });
        coerceArguments({ v: value }, schema);
      }),
    );
  });
  test('a second time changes nothing more', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('x', 'on', 'z'), fc.jsonValue()), (args) => {
        const once = coerceArguments(args, point);
        expect(coerceArguments(once, point)).toEqual(once);
      }),
    );
  });
  test('a key named __proto__ is a key like others', () => {
    const args = JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>;
    expect(Object.keys(coerceArguments(args, point))).toEqual(['__proto__']);
  });
  test('values nested thousands of levels deep pass', () => {
    let deep: unknown = '1';
    for (let i = 0; i < 20_000; i += 1) deep = [deep];
    expect(coerced(deep, { type: 'array' })).toBe(deep);
  });
});
