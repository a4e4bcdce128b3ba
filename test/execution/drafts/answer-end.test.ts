/** An answer by definition that goes on to copy what stays is ended once what it has said solves the task. */
import { describe, expect, jest, test } from '@jest/globals';
import { EnoughSaid, wholeSoFar } from '../../../sidecar/execution/drafts/enough-said.ts';

const SOURCE = `import { rates } from './rates.js';

export function gross(cents) {
  return cents + cents * rates.vat;
}

export function net(cents) {
  const part = 1 + rates.vat;
  const whole = cents / part;

  return Math.round(whole);
}

export const none = 0;
`;
const lines = [SOURCE.split('\n')];
const CHANGED = `It does not round.

\`\`\`js
// src/price.js
export function gross(cents) {
  return Math.round(cents + cents * rates.vat);
}

`;

describe('what an answer would be', () => {
  test('a definition that it has begun to copy is completed from the file', () => {
    const answer = `${CHANGED}export function net(cents) {
  const part = 1 + rates.vat;
  const whole = cents / part;
`;
    expect(wholeSoFar(answer, lines)?.text).toBe(`${answer}
  return Math.round(whole);
}

\`\`\`
`);
  });

  test('a method is completed up to the end of its class', () => {
    const source = [
      'class A {',
      '  a() {',
      '    one();',
      '  }',
      '',
      '  b() {',
      '    two();',
      '    three();',
      '  }',
      '}',
      '',
    ];
    const answer = '```js\nclass A {\n  a() {\n    uno();\n  }\n\n  b() {\n    two();\n    three();\n';
    expect(wholeSoFar(answer, [source])?.text).toBe(`${answer}  }\n}\n\n\`\`\`\n`);
  });

  test.each([
    [
      'nothing is copied',
      `${CHANGED}export function net(cents) {\n  const part = 2;\n  const whole = cents / part;\n`,
    ],
    ['too little is copied', `${CHANGED}export function net(cents) {\n  const part = 1 + rates.vat;\n`],
    [
      'a line is not whole yet',
      `${CHANGED}export function net(cents) {\n  const part = 1 + rates.vat;\n  const whole = cents / part;`,
    ],
    [
      'the block is closed',
      `${CHANGED}\`\`\`\n\nexport function net(cents) {\n  const part = 1 + rates.vat;\n  const whole = cents / part;\n`,
    ],
    ['there is no block', 'It does not round.\n'],
  ])('nothing where %s', (_, answer) => {
    expect(wholeSoFar(answer, lines)).toBeUndefined();
  });

  test('nothing where the lines stand in two places', () => {
    const answer = '```js\nx\n\na\nb\nc\n';
    expect(
      wholeSoFar(answer, [
        ['a', 'b', 'c', ''],
        ['a', 'b', 'c', 'd'],
      ]),
    ).toBeUndefined();
    expect(wholeSoFar(answer, [['a', 'b', 'c', '']])).toBeDefined();
  });
});

describe('the end of an answer', () => {
  const copying = `${CHANGED}export function net(cents) {
  const part = 1 + rates.vat;
  const whole = cents / part;
`;

  test('comes once what it would be solves the task', async () => {
    const solves = jest.fn(() => Promise.resolve(true));
    const said = new EnoughSaid([SOURCE], solves);
    expect(said.endOf(copying)).toBeUndefined();
    await Promise.resolve();
    expect(said.endOf(`${copying}\n`)).toBe(wholeSoFar(copying, lines)?.text);
    expect(solves).toHaveBeenCalledTimes(1);
  });

  test('does not come where it does not; one place is tried once', async () => {
    const solves = jest.fn(() => Promise.resolve(false));
    const said = new EnoughSaid([SOURCE], solves);
    said.endOf(copying);
    await Promise.resolve();
    expect(said.endOf(`${copying}  // and more\n`)).toBeUndefined();
    expect(solves).toHaveBeenCalledTimes(1);
  });

  test('what was not tried when the answer came is not wanted any more', () => {
    let isWanted = (): boolean => true;
    const said = new EnoughSaid([SOURCE], (_, wanted) => {
      isWanted = wanted;
      return new Promise(() => undefined);
    });
    said.endOf(copying);
    expect(isWanted()).toBe(true);
    said.stop();
    expect(isWanted()).toBe(false);
  });
});
