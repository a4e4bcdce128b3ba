/** Where an answer by definition ends: a small model goes on to copy what stays. */
import { describe, expect, jest, test } from '@jest/globals';
import { AnswerEnd, wholeSoFar } from '../../../sidecar/execution/drafts/answer-end.ts';

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
    const said = new AnswerEnd({ sources: [SOURCE], kept: [] }, solves);
    expect(said.endOf(copying)).toBeUndefined();
    await Promise.resolve();
    expect(said.endOf(`${copying}\n`)).toBe(wholeSoFar(copying, lines)?.text);
    expect(solves).toHaveBeenCalledTimes(1);
  });

  test('does not come where it does not; one place is tried once', async () => {
    const solves = jest.fn(() => Promise.resolve(false));
    const said = new AnswerEnd({ sources: [SOURCE], kept: [] }, solves);
    said.endOf(copying);
    await Promise.resolve();
    expect(said.endOf(`${copying}  // and more\n`)).toBeUndefined();
    expect(solves).toHaveBeenCalledTimes(1);
  });

  test('what was not tried when the answer came is not wanted any more', () => {
    let isWanted = (): boolean => true;
    const said = new AnswerEnd({ sources: [SOURCE], kept: [] }, (_, wanted) => {
      isWanted = wanted;
      return new Promise(() => undefined);
    });
    said.endOf(copying);
    expect(isWanted()).toBe(true);
    said.stop();
    expect(isWanted()).toBe(false);
  });

  describe('where a file that stays as it is is written out', () => {
    const TEST =
      "import { net } from './price.js';\n\nassert.equal(net(119), 100);\nassert.equal(net(0), 0);\n";
    const endOf = (answer: string) =>
      new AnswerEnd({ sources: [SOURCE], kept: [TEST] }, () => Promise.resolve(false)).endOf(answer);
    const given = `${CHANGED.trimEnd()}\n\`\`\`\n\nThe tests:`;

    test('comes before it', () => {
      expect(endOf(`${given}\n\n\`\`\`js\n// Tests\n${TEST}`)).toBe(given);
    });

    test.each([
      ['the first code is a part of it', `It fails here:\n\n\`\`\`js\n${TEST}`],
      ['the code is in a file that may be changed, too', `${given}\n\n\`\`\`js\n${SOURCE}`],
      ['too little is', `${given}\n\n\`\`\`js\nimport { net } from './price.js';\n`],
    ])('does not come where %s', (_, answer) => {
      expect(endOf(answer)).toBeUndefined();
    });
  });
});
