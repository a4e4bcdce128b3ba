import { describe, expect, test } from '@jest/globals';
import { ownDefaults } from '../../../sidecar/execution/drafts/own-default.ts';

const changed = (text: string, path = 'x.py'): string[] =>
  ownDefaults({ path, text }).map(({ file }) => file.after!);

describe('a default value that all calls share', () => {
  test('becomes one for each call', () =>
    expect(changed('class A:\n    def f(self, name, songs=[]):\n        self.songs = songs\n')).toEqual([
      'class A:\n    def f(self, name, songs=None):\n        if songs is None:\n            songs = []\n        self.songs = songs\n',
    ]));

  test('behind the documentation of the function, with its tabs and line ends', () => {
    expect(changed('def f(a: list = list()):\n  """One line."""\n  return a\n')).toEqual([
      'def f(a: list = None):\n  """One line."""\n  if a is None:\n    a = list()\n  return a\n',
    ]);
    expect(changed('def f(a={}):\r\n\tr"""Two\r\n\tlines."""\r\n\treturn a\r\n')).toEqual([
      'def f(a=None):\r\n\tr"""Two\r\n\tlines."""\r\n\tif a is None:\r\n\t\ta = {}\r\n\treturn a\r\n',
    ]);
  });

  test('two of one function at once, of two functions one after the other', () => {
    expect(changed('def f(a=[], *, b=set()):\n    go()\n')).toEqual([
      'def f(a=None, *, b=None):\n    if a is None:\n        a = []\n    if b is None:\n        b = set()\n    go()\n',
    ]);
    const two = 'async def f(a=[]):\n    go()\ndef g(b={}) -> dict:\n    go()\n';
    expect(changed(two).map((text) => text.match(/is None/gu)?.length)).toEqual([1, 1]);
  });

  test.each([
    ['other values', 'def f(a=(), b=None, c=[1]):\n    go()\n'],
    ['a function in one line', 'def f(a=[]): return a\n'],
    ['a head that goes on', 'def f(\n    a=[],\n):\n    go()\n'],
    ['a very long head', `def f(${'a: int, '.repeat(50)}b=[]):\n    go()\n`],
    ['calls', 'f(a=[])\n'],
    ['documentation without an end', 'def f(a=[]):\n    """No end\n    go()\n'],
  ])('none of %s', (_, text) => {
    expect(changed(text)).toEqual([]);
  });

  test('none in another language', () => expect(changed('def f(a=[]):\n    go()\n', 'x.rb')).toEqual([]));
});
