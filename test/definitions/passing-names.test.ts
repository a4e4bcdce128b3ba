/** Names that a helper uses and only its callers have are handed over. */
import { describe, expect, test } from '@jest/globals';
import { withNamesPassed } from '../../sidecar/definitions/index.ts';

const javascript = (text: string) => withNamesPassed('javascript', text);
const python = (text: string) => withNamesPassed('python', text);

describe('in JavaScript', () => {
  test('a parameter of the caller is handed to a helper that uses it, and on to its own calls', async () => {
    const text = `function render(node, options = {}) {
  return add(node, 1);
}
function add(node, level) {
  if (level > options.depth) return;
  for (const child of node.children) add(child, level + 1);
}
`;
    expect(await javascript(text)).toBe(`function render(node, options = {}) {
  return add(node, 1, options);
}
function add(node, level, options) {
  if (level > options.depth) return;
  for (const child of node.children) add(child, level + 1, options);
}
`);
  });

  test('several names, local variables, functions as values, and uses in callbacks', async () => {
    const text = `const list = (items, max) => { const sep = ','; return items.map((item) => one(item)).join(sep); };
const one = (item) => [item].filter(() => item.length < max).join(sep);
`;
    expect(await javascript(text)).toBe(
      text.replace('one(item))', 'one(item, sep, max))').replace('(item) => [', '(item, sep, max) => ['),
    );
    const empty = 'function a(n) { return b(); }\nfunction b() { return n + 1; }\n';
    expect(await javascript(empty)).toBe('function a(n) { return b(n); }\nfunction b(n) { return n + 1; }\n');
  });

  test.each([
    ['nobody has it', 'function a() { return b(1); }\nfunction b(x) { return x + y; }\n'],
    [
      'one caller has it not',
      'function a(y) { return b(1); }\nfunction c() { return b(2); }\nfunction b(x) { return y; }\n',
    ],
    ['the file has it', 'const y = 1;\nfunction a(y) { return b(1); }\nfunction b(x) { return x + y; }\n'],
    ['it is called with fewer arguments', 'function a(y) { return b(1); }\nfunction b(x, z) { return y; }\n'],
    ['the rest is taken', 'function a(y) { return b(1); }\nfunction b(...x) { return y; }\n'],
    ['it is handed on as a value', 'function a(y) { return [1].map(b); }\nfunction b(x) { return y; }\n'],
    ['it is a property', 'function a(y) { return b(1); }\nfunction b(x) { return x.y + { y: 1 }.y; }\n'],
    [
      'it is bound in a pattern',
      'function a(y) { return b(1); }\nfunction b(x) { const { y } = x; return y; }\n',
    ],
    [
      'two functions have that name',
      'function a(y) { return b(1); }\nfunction b(x) { return y; }\nconst o = () => { function b() {} };\n',
    ],
  ])('nothing is changed where %s', async (_why, text) => {
    expect(await javascript(text)).toBe(text);
  });
});

describe('in Python', () => {
  test('a variable of the caller is handed over by name', async () => {
    const text = `def report(rows, width):
    lines = [line(row) for row in rows]
    return "\\n".join(lines)


def line(row, sep=" "):
    return sep.join(row)[:width]
`;
    expect(await python(text)).toBe(
      text.replace('line(row) for', 'line(row, width=width) for').replace('sep=" ")', 'sep=" ", width=None)'),
    );
  });

  test.each([
    [
      'it is an attribute or an argument by name',
      'def a(y):\n    return b(1)\n\n\ndef b(x):\n    return x.y(y=2)\n',
    ],
    ['it is bound by a loop', 'def a(y):\n    return b(1)\n\n\ndef b(x):\n    return [y for y in x]\n'],
    ['it is imported', 'from m import y\n\n\ndef a(y):\n    return b(1)\n\n\ndef b(x):\n    return y\n'],
    ['it is built in', 'def a(x):\n    return b(x)\n\n\ndef b(x):\n    return len(x)\n'],
    ['all further names are taken', 'def a(y):\n    return b(1)\n\n\ndef b(x, **more):\n    return y\n'],
  ])('nothing is changed where %s', async (_why, text) => {
    expect(await python(text)).toBe(text);
  });
});

test('other languages and long files stay as they are', async () => {
  const text = 'func a(y int) int { return b(1) }\nfunc b(x int) int { return y }\n';
  expect(await withNamesPassed('go', text)).toBe(text);
  const long = `function a(y) { return b(1); }\nfunction b(x) { return y; }\n// ${'x'.repeat(200_000)}\n`;
  expect(await javascript(long)).toBe(long);
});

test('a deeply nested text is read to its end', async () => {
  const text = `function a(y) { return b(${'('.repeat(20_000)}1${')'.repeat(20_000)}); }\n`;
  expect(await javascript(text)).toBe(text);
});
