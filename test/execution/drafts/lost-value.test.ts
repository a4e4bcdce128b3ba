/** Changes that leave a way through a function on which it gives no value. */
import { describe, expect, test } from '@jest/globals';
import { lostValueIn } from '../../../sidecar/execution/drafts/lost-value.ts';

const js = (body: string) => `export function fee(days) {\n${body}\n}\n`;
const py = (body: string) => `def fee(days):\n    """The fee."""\n${body}\n`;
const JS = js('  return days * 2;');
const PY = py('    return days * 2');
const askJs = (body: string, before = JS) => lostValueIn([{ path: 'fee.js', before, after: js(body) }]);
const askPy = (body: string, before = PY) => lostValueIn([{ path: 'fee.py', before, after: py(body) }]);

describe('a function that gave a value on every way', () => {
  test.each([
    ['for one case only', '  if (days > 0) {\n    return days * 2;\n  }'],
    ['for one case only, in one line', '  if (days > 0) return days * 2;'],
    ['in a loop', '  for (const day of days) {\n    return day;\n  }'],
    ['nowhere', '  const fee = days * 2;'],
    ['without a value', '  const fee = days * 2;\n  return;'],
  ])('is told of where it gives one %s', async (_what, body) => {
    expect(await askJs(body)).toBe('fee');
  });

  test('is told of in Python, and as a method', async () => {
    expect(await askPy('    if days > 0:\n        return days * 2')).toBe('fee');
    const inClass = (body: string) => `class Rate {\n  fee(days) {\n${body}\n  }\n}\n`;
    const before = inClass('    return days * 2;');
    const after = inClass('    if (days > 0) {\n      return days * 2;\n    }');
    expect(await lostValueIn([{ path: 'fee.ts', before, after }])).toBe('Rate.fee');
  });

  test.each([
    ['throws', '  if (days > 0) return 2;\n  throw new RangeError("days");'],
    ['gives an object over several lines', '  return {\n    days,\n    fee: 2,\n  };'],
    [
      'gives the value of a call over several lines',
      '  return days\n    .map((day) => day * 2)\n    .filter(Boolean);',
    ],
    ['gives one in each branch', '  if (days > 0) {\n    return 2;\n  } else {\n    return 0;\n  }'],
    ['gives one in each branch, in one line', '  if (days > 0) return 2; else return 0;'],
    ['ends the program', '  if (days > 0) return 2;\n  process.exit(1);'],
    ['switches', '  switch (days) {\n    default:\n      return 2;\n  }'],
    ['never ends but by a value', '  while (true) {\n    if (days > 0) return 2;\n  }'],
    ['has a comment at its end', '  return 2;\n  // Nothing follows.'],
  ])('is not told of where it %s', async (_what, body) => {
    expect(await askJs(body)).toBeUndefined();
  });

  test.each([
    ['raises', '    if days > 0:\n        return 2\n    raise ValueError(days)'],
    ['gives one in each branch', '    if days > 0:\n        return 2\n    else:\n        return 0'],
    ['tries', '    try:\n        return 2\n    except ValueError:\n        return 0'],
  ])('is not told of where it %s in Python', async (_what, body) => {
    expect(await askPy(body)).toBeUndefined();
  });
});

test('a function that never gave one is not told of, nor a new one, nor another language', async () => {
  const silent = js('  console.log(days);');
  expect(await askJs('  console.error(days);', silent)).toBeUndefined();
  expect(await askJs('  if (days) return 2;', 'export const other = 1;\n')).toBeUndefined();
  expect(await lostValueIn([{ path: 'fee.js', after: silent }])).toBeUndefined();
  expect(await lostValueIn([{ path: 'fee.go', before: JS, after: silent }])).toBeUndefined();
});
