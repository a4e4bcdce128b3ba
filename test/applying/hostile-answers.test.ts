import { describe, expect, test } from '@jest/globals';
import { applyAnswer } from '../../sidecar/applying/index.ts';

const text = 'function add(a, b) {\n  return a - b;\n}\n';
const block = '```js\n// a.js\nfunction add(a, b) {\n  return a + b;\n}\n```\n';

const hostile: Record<string, string> = {
  'a megabyte of prose': 'word '.repeat(200_000),
  'a megabyte in one block': `\`\`\`js\n// a.js\n${'add(1);\n'.repeat(130_000)}\`\`\``,
  'a megabyte of fences': '```\n'.repeat(250_000),
  'ten thousand blocks': block.repeat(10_000),
  'three hundred kilobytes of fences': '```\n'.repeat(75_000),
  'brackets that never close': `\`\`\`js\n// a.js\n${'['.repeat(50_000)}\n\`\`\``,
  'blocks nested ten thousand deep': `\`\`\`js\n// a.js\n${'{'.repeat(10_000)}${'}'.repeat(10_000)}\n\`\`\``,
  'functions nested a thousand deep': `\`\`\`js\n// a.js\n${'function f() {'.repeat(1_000)}${'}'.repeat(1_000)}\n\`\`\``,
  'a line of two hundred kilobytes': `\`\`\`js\n// ${'a/'.repeat(100_000)}.js\nx\n\`\`\``,
  'white space without end': `\`\`\`js\n// a.js\n${' '.repeat(200_000)}x\n\`\`\``,
  'a fence and much white space': `\`\`\`js\n// a.js\n\`\`\`${' '.repeat(100_000)}\`\n${' '.repeat(100_000)}x\n\`\`\``,
  'a fence of tildes that is none': `${'~'.repeat(200_000)}\``,
  'search without replace': `\`\`\`\n${'<<<<<<< SEARCH\n'.repeat(20_000)}>>>>>>> REPLACE\n\`\`\``,
  'ten thousand marks': `\`\`\`js\n// a.js\nfunction add() {\n${'  // ...\n'.repeat(10_000)}}\n\`\`\``,
  'fences named like members of every object': ['constructor', '__proto__', 'valueOf', 'toString']
    .map((name) => `\`\`\`${name}\nfunction add() {}\n\`\`\`\n`)
    .join('prose\n'),
  'a thousand times the name of the file': `\`\`\`js\n${'// a.js\nconst x = 1;\n'.repeat(1_000)}\`\`\``,
  'five thousand new functions': `\`\`\`js\n// a.js\n${Array.from({ length: 5_000 }, (_, number) => `function f${number}() {}\n`).join('')}\`\`\``,
  'a line that speaks of a change ten thousand times': `${'to change '.repeat(10_000)}\n\`\`\`js\nadd();\n\`\`\``,
  'a thousand definitions of one name': `\`\`\`js\n// a.js\n${'function add() {}\n'.repeat(1_000)}\`\`\``,
};

describe('a hostile answer', () => {
  test.each(Object.keys(hostile))('%s is refused or read', async (name) => {
    const context = {
      read: (path: string) => Promise.resolve(path === 'a.js' ? text : undefined),
      shown: ['a.js'],
      mayChange: () => true,
    };
    const [placed] = await applyAnswer(hostile[name]!, context);
    for (const file of placed.files) expect(file.after).toContain('function add');
  });

  test.each(['../a.js', '/etc/a.js', '.git/hooks/a.js', 'src/../../a.js'])(
    'makes no file at %s',
    async (path) => {
      const [placed] = await applyAnswer(`\`\`\`js\n// ${path}\nexport const x = 1;\n\`\`\`\n`, {
        read: () => Promise.resolve(undefined),
        shown: [],
        mayChange: () => true,
      });
      expect(placed.files.map((file) => file.path).filter((each) => /\.\.|^\/|\.git/.test(each))).toEqual([]);
    },
  );
});
