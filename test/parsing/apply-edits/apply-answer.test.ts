import { readdirSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  applyAnswer,
  type ApplyContext,
  type AnswerCandidate,
} from '../../../sidecar/parsing/apply-edits/index.ts';
import { filesUnder } from '../../tools/called-tools.ts';

const cases = join(import.meta.dirname, '../../cases/applying');

async function linesOf(path: string): Promise<string[]> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere ? (await readFile(path, 'utf8')).split('\n').filter(Boolean) : [];
}

function contextOf(
  files: Record<string, string>,
  kept: readonly string[],
  named: readonly string[],
): ApplyContext {
  return {
    read: (path) => Promise.resolve(Object.hasOwn(files, path) ? files[path] : undefined),
    shownPaths: Object.keys(files).sort(),
    mayChange: (path) => !kept.includes(path),
    isNamed: (path) => named.includes(path),
  };
}

function filesAfter(before: Record<string, string>, { files }: AnswerCandidate): Record<string, string> {
  const after = new Map(Object.entries(before));
  for (const { path, after: text } of files) {
    if (text === undefined) after.delete(path);
    else after.set(path, text);
  }
  return Object.fromEntries(after);
}

describe('an answer is applied', () => {
  // Each folder: input/, answer.txt, expected/ unless nothing may change; kept.txt names files that may not change,
  // named.txt those that the task names,
  // reading.txt the reading that is expected where it is not the first one, which the checks tell,
  // unplaced.txt holds a part of each reason that must be told.
  test.each(readdirSync(cases))('%s', async (name) => {
    const from = join(cases, name);
    const before = await filesUnder(join(from, 'input'));
    const answer = await readFile(join(from, 'answer.txt'), 'utf8');
    const [kept, named] = await Promise.all(
      ['kept.txt', 'named.txt'].map((list) => linesOf(join(from, list))),
    );
    const context = contextOf(before, kept ?? [], named ?? []);
    const parts = readdirSync(from);
    const expected = parts.includes('expected') ? await filesUnder(join(from, 'expected')) : before;
    const candidates = await applyAnswer(answer, context);
    const [reading = candidates[0].reading] = await linesOf(join(from, 'reading.txt'));
    const placed = candidates.find((each) => each.reading === reading) ?? candidates[0];
    expect(placed.reading).toBe(reading);
    for (const file of placed.files) expect(file.before).toBe(before[file.path]);
    expect(filesAfter(before, placed)).toEqual(expected);
    const reasons = placed.omittedParts.map(({ reason, excerpt }) => `${reason}: ${excerpt}`);
    const told = await linesOf(join(from, 'unplaced.txt'));
    expect(reasons.filter((reason) => !told.some((text) => reason.includes(text)))).toEqual([]);
    expect(told.filter((text) => !reasons.some((reason) => reason.includes(text)))).toEqual([]);
    if (!parts.includes('problems.txt')) expect(placed.problems).toEqual([]);
    else expect(placed.problems).not.toEqual([]);
  });
});

/** A file of three definitions; the middle one is answered. */
interface Sample {
  path: string;
  comment: string;
  head: string;
  first: string;
  old: string;
  changed: string;
  last: string;
}

const braced = (open: string, name: string, line: string): string =>
  `${open.replace('NAME', name)} {\n    ${line}\n}`;
const sample = (path: string, head: string, open: string, comment = '//', line = 'return N;'): Sample => ({
  path,
  comment,
  head,
  first: braced(open, 'first', line.replace('N', '1')),
  old: braced(open, 'middle', line.replace('N', '2')),
  changed: braced(open, 'middle', line.replace('N', '20')),
  last: braced(open, 'last', line.replace('N', '3')),
});

const samples: Sample[] = [
  sample('src/main/a.js', "'use strict';\n\n", 'function NAME(x)'),
  sample('src/main/a.mjs', "import fs from 'node:fs';\n\n", 'export const NAME = async (x) =>'),
  sample('src/main/a.ts', "import fs from 'node:fs';\n\n", 'export function NAME<T>(x: T): number'),
  sample('src/main/a.tsx', "import { x } from './x.js';\n\n", 'export function NAME(props: Props): number'),
  {
    path: 'src/main/a.py',
    comment: '#',
    head: '"""Module."""\n\n',
    first: 'def first(x):\n    return 1',
    old: 'def middle(x):\n    return 2',
    changed: 'def middle(x):\n    return 20',
    last: 'def last(x):\n    return 3',
  },
  sample('src/main/a.go', 'package main\n\n', 'func NAME(x int) int', '//', 'return N'),
  sample('src/main/a.rs', 'use std::fmt;\n\n', 'pub fn NAME(x: i32) -> i32', '//', 'x + N'),
  sample('src/main/a.c', '#include <stdio.h>\n\n', 'int NAME(int x)'),
  sample('src/main/a.cpp', '#include <vector>\n\n', 'auto NAME(int x) -> int'),
  sample('src/main/a.php', '<?php\n\n', 'function NAME(int $x): int'),
  sample('src/main/a.sh', '#!/bin/sh\n\n', 'NAME()', '#', 'echo N'),
  {
    path: 'src/main/a.rb',
    comment: '#',
    head: "require 'set'\n\n",
    first: 'def first(x)\n  1\nend',
    old: 'def middle(x)\n  2\nend',
    changed: 'def middle(x)\n  20\nend',
    last: 'def last(x)\n  3\nend',
  },
];

const java = (name: string, value: number): string =>
  `    public int ${name}(int x) {\n        return ${value};\n    }`;
for (const path of ['src/main/A.java', 'src/main/A.cs'])
  samples.push({
    path,
    comment: '//',
    head: 'public class A {\n',
    first: java('first', 1),
    old: java('middle', 2),
    changed: java('middle', 20),
    last: `${java('last', 3)}\n}`,
  });

const whole = ({ head, first, last }: Sample, middle: string): string =>
  `${head}${first}\n\n${middle}\n\n${last}\n`;
const before = (of: Sample): string => whole(of, of.old);
const after = (of: Sample): string => whole(of, of.changed);
const named = (of: Sample, ...code: string[]): string =>
  fenced([`${of.comment} ${of.path}`, ...code].join('\n'));
const fenced = (code: string, info = ''): string => `Cause.\n\n\`\`\`${info}\n${code}\n\`\`\`\n`;
const signed = (sign: string, text: string): string => text.replaceAll(/^/gm, sign);
const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '   ');

/** The forms in which models give one changed definition. */
const forms: Record<string, (of: Sample) => string> = {
  'a comment names the file': (of) => named(of, of.changed),
  'a comment names the file and says something': (of) =>
    fenced(`${of.comment} ${of.path} - fixed\n\n${of.changed}`),
  'the comment says File:': (of) => fenced(`${of.comment} File: ${of.path}\n${of.changed}`),
  'the path is behind the fence': (of) => fenced(of.changed, `code ${of.path}`),
  'the path is behind the fence with a colon': (of) => fenced(of.changed, `code:${of.path}`),
  'the fence has a title': (of) => fenced(of.changed, `code title="${of.path}"`),
  'a heading': (of) => `### ${of.path}\n\n${fenced(of.changed).slice(8)}`,
  'a bold line': (of) => `**${of.path}**\n${fenced(of.changed).slice(8)}`,
  'a line with the path in backticks': (of) => `In \`${of.path}\`:\n\n${fenced(of.changed).slice(8)}`,
  'a numbered heading': (of) => `1. \`${of.path}\`:\n\n${fenced(of.changed).slice(8)}`,
  'a line File:': (of) => `File: ${of.path}\n${fenced(of.changed).slice(8)}`,
  'a leading ./': (of) => fenced(`${of.comment} ./${of.path}\n${of.changed}`),
  "git's prefix": (of) => fenced(`${of.comment} a/${of.path}\n${of.changed}`),
  'the name alone': (of) => fenced(`${of.comment} ${of.path.split('/').at(-1)!}\n${of.changed}`),
  'a workspace before it': (of) => fenced(`${of.comment} /workspace/${of.path}\n${of.changed}`),
  'no name': (of) => fenced(of.changed),
  'in a list': (of) =>
    `1. Cause.\n\n${indented(`\`\`\`\n${of.comment} ${of.path}\n${of.changed}\n\`\`\``)}\n`,
  'fenced with tildes': (of) => `~~~\n${of.comment} ${of.path}\n${of.changed}\n~~~\n`,
  'windows line ends': (of) => named(of, of.changed).replaceAll('\n', '\r\n'),
  'signs of a diff': (of) => {
    const [open = '', line = '', close] = of.old.split('\n');
    const lines = [
      ` ${open}`,
      `-${line}`,
      `+${of.changed.split('\n')[1]!}`,
      ...(close === undefined ? [] : [` ${close}`]),
    ];
    return named(of, ...lines);
  },
  'a unified diff': (of) =>
    fenced(
      `--- a/${of.path}\n+++ b/${of.path}\n@@ -1,3 +1,3 @@\n${signed('-', of.old)}\n${signed('+', of.changed)}`,
      'diff',
    ),
  'a hunk alone': (of) =>
    fenced(`@@ -9,3 +9,3 @@\n${signed('-', of.old)}\n${signed('+', of.changed)}`, `diff ${of.path}`),
  'a v4a patch': (of) =>
    fenced(
      `*** Begin Patch\n*** Update File: ${of.path}\n@@\n${signed('-', of.old)}\n${signed('+', of.changed)}\n*** End Patch`,
    ),
  'search and replace': (of) =>
    `${of.path}\n${fenced(`<<<<<<< SEARCH\n${of.old}\n=======\n${of.changed}\n>>>>>>> REPLACE`).slice(8)}`,
  'before and after': (of) => `Before:\n${named(of, of.old)}After:\n${named(of, of.changed)}`,
  'after and before': (of) => `New:\n${named(of, of.changed)}Old:\n${named(of, of.old)}`,
  'a mark behind it': (of) =>
    named(of, of.changed, '', `${of.comment} ... rest of the code stays the same ...`),
  'a mark before it': (of) => named(of, `${of.comment} existing code`, '', of.changed),
  'the whole file': (of) => named(of, after(of).trimEnd()),
  'with the one that stays': (of) => named(of, of.first, '', of.changed),
  'twice, the last one right': (of) => named(of, of.changed.replace('20', '21'), '', of.changed),
  'the body left out of the others': (of) => named(of, of.changed),
};

async function place(of: Sample, answer: string, text = before(of), kept = false): Promise<AnswerCandidate> {
  const candidates = await applyAnswer(answer, {
    read: (path) => Promise.resolve(path === of.path ? text : undefined),
    shownPaths: [of.path],
    mayChange: () => !kept,
  });
  return candidates.find(({ reading }) => reading === 'merged') ?? candidates[0];
}

describe.each(samples)('$path', (of) => {
  test.each(Object.keys(forms))('%s', async (form) => {
    const placed = await place(of, forms[form]!(of));
    expect(placed.omittedParts).toEqual([]);
    expect(placed.files).toEqual([{ path: of.path, before: before(of), after: after(of) }]);
    expect(placed.problems).toEqual([]);
  });

  test.each([
    ['line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    ['byte order mark', (text: string) => `\uFEFF${text}`],
    ['end without a line break', (text: string) => text.trimEnd()],
    ['tabs', (text: string) => text.replaceAll('    ', '\t')],
  ])("the file's own %s stay", async (_name, own) => {
    const placed = await place(of, named(of, of.changed), own(before(of)));
    expect(placed.files.map(({ after }) => after)).toEqual([own(after(of))]);
  });

  test('what stands there already changes nothing', async () => {
    expect(await place(of, named(of, of.old))).toEqual({
      reading: 'as written',
      files: [],
      omittedParts: [],
      problems: [],
    });
  });

  test('a file that must stay as it is stays', async () => {
    const placed = await place(of, named(of, of.changed), before(of), true);
    expect(placed.files).toEqual([]);
    expect(placed.omittedParts).toMatchObject([{ path: of.path, kind: 'protected' }]);
  });

  test('a definition that is cut off is not placed', async () => {
    const cut = of.changed.slice(0, of.changed.indexOf('20') - 4);
    const placed = await place(of, `\`\`\`\n${of.comment} ${of.path}\n${cut}`);
    expect(placed.files.filter(({ after }) => after!.length < before(of).length)).toEqual([]);
  });
});

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

test.each(['', '\n'])('a SEARCH that holds nothing (%j) makes the file that is not there', async (search) => {
  const answer = `src/new.js\n\`\`\`js\n<<<<<<< SEARCH\n${search}=======\nexport const a = 1;\n>>>>>>> REPLACE\n\`\`\`\n`;
  const read = (path: string) => Promise.resolve(path === 'old.js' ? 'x\n' : undefined);
  const [placed] = await applyAnswer(answer, { read, shownPaths: ['old.js'], mayChange: () => true });
  expect(placed?.files).toEqual([{ path: 'src/new.js', before: undefined, after: 'export const a = 1;\n' }]);
});

describe('a hostile answer', () => {
  test.each(Object.keys(hostile))('%s is refused or read', async (name) => {
    const context = {
      read: (path: string) => Promise.resolve(path === 'a.js' ? text : undefined),
      shownPaths: ['a.js'],
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
        shownPaths: [],
        mayChange: () => true,
      });
      expect(placed.files.map((file) => file.path).filter((each) => /\.\.|^\/|\.git/.test(each))).toEqual([]);
    },
  );
});
