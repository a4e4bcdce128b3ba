/** Lines that a change takes away beside what it is to do. */
import { describe, expect, test } from '@jest/globals';
import { besideReplaced, lossesOf, withLosses } from '../../../sidecar/execution/drafts/lost-lines.ts';
import { verbatim } from '../../support/scripted-model.ts';
import { answer, draftRuns, WRONG } from './draft-runs.ts';

const before = ['function f(a) {', '  if (!a) return 0;', '  log(a);', '', '  return a - 1;', '}', ''].join(
  '\n',
);

describe('what a change took away is put back', () => {
  const right = before.replace('a - 1', 'a');
  /** The new text with all of it, and the statements. */
  const restored = (after: string, { old = before, task = 'It is one too few.' } = {}) => {
    const files = [{ path: 'x.js', before: old, after }];
    const losses = lossesOf(files, task);
    return { text: withLosses(files, losses)[0]?.after, lost: losses.map(({ lines }) => lines.join('\n')) };
  };

  test('where nothing stands in its place', () => {
    expect(restored(right.replace('  log(a);\n', ''))).toEqual({ text: right, lost: ['  log(a);'] });
    expect(restored(right.replace('  if (!a) return 0;\n  log(a);\n', ''))).toEqual({
      text: right,
      lost: ['  if (!a) return 0;', '  log(a);'],
    });
  });

  test('where fewer lines stand in its place that say the same as some of it', () => {
    const old = right.replace('  log(a);\n', '  if (a < 0) {\n    log(a);\n  } else {\n    go(a);\n  }\n');
    const after = 'function f(a) {\n  if (a === null) return 0;\n  // and so on\n  return a;\n}\n';
    expect(restored(after, { old })).toEqual({
      text: after.replace('  // and', '  if (a < 0) {\n    log(a);\n  } else {\n    go(a);\n  }\n\n  // and'),
      lost: ['  if (a < 0) {\n    log(a);\n  } else {\n    go(a);\n  }\n'],
    });
  });

  test('not what was replaced, moved, or is a blank line; not where the task may want it to go', () => {
    const none = (after: string, options = {}): void => {
      expect(restored(after, options)).toEqual({ text: after, lost: [] });
    };
    none(before.replace('  log(a);\n', '  log(a + 1);\n'));
    none(before.replace('  log(a);\n', '').replace('  return a - 1;\n', '  log(a);\n  return a;\n'));
    none(right.replace('\n\n', '\n'));
    none(right.replace('  log(a);\n', ''), { task: 'Remove the logging.' });
    expect(lossesOf([{ path: 'x.js', after: 'new\n' }], 'Add it.')).toEqual([]);
  });
});

describe('what a change replaced stands beside the new lines', () => {
  const beside = (old: string, after: string): string[] =>
    besideReplaced([{ path: 'x.js', before: old, after }]).map(([file]) => file?.after ?? '');

  test('before them and behind them', () => {
    expect(beside('a\nb\nc\n', 'a\nx\nc\n')).toEqual(['a\nb\nx\nc\n', 'a\nx\nb\nc\n']);
  });

  test('with what closes both', () => {
    const old = 'f() {\n  if (a) {\n    no(a);\n  }\n  go();\n}\n';
    const both = old.replace('  go', '  if (b) {\n    no(b);\n  }\n  go');
    const other = old.replace('  if', '  if (b) {\n    no(b);\n  }\n  if');
    expect(beside(old, old.replace('(a) {', '(b) {').replace('no(a)', 'no(b)'))).toEqual([both, other]);
  });

  test('not where only something is added, or taken away', () => {
    expect(beside('a\nb\n', 'a\nx\nb\n')).toEqual([]);
    expect(beside('a\nb\n', 'a\n')).toEqual([]);
    expect(besideReplaced([{ path: 'x.js', after: 'new\n' }])).toEqual([]);
  });
});

describe('a draft that fails', () => {
  const { run, source, writeSource } = draftRuns();

  test('is tried with the lines that it replaced', async () => {
    const old = "export function add(a, b) {\n  if (a < 0) throw new RangeError('a');\n  return a + b;\n}\n";
    writeSource(old);
    const target = `node -e "import('./src/add.js').then(({ add }) => { const no = (a, b) => { try { add(a, b); return 0; } catch { return 1; } }; process.exit(no(-1, 1) && no(1, -1) && add(1, 2) === 3 ? 0 : 1); })"`;
    const { result, rows } = await run(
      [answer("if (b < 0) throw new RangeError('b');\n  return a + b;")],
      [],
      {
        config: { brief: { seconds: 15 }, ollama: { slots: 1 }, solving: { strategy: 'drafts', drafts: 1 } },
        task: {
          description: 'add(1, -1) in src/add.js should throw a RangeError, too.',
          verification_steps: [{ type: 'command_succeeds', target }],
        },
      },
    );
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 1 });
    expect(source()).toBe(old.replace('  return', "  if (b < 0) throw new RangeError('b');\n  return"));
    expect(rows[0]?.text).toContain('Draft 1: with the lines that it left out: +1 −0 in src/add.js');
  });
});

describe('a draft that passes', () => {
  const { run, source, writeSource } = draftRuns();
  const config = {
    brief: { seconds: 15 },
    ollama: { slots: 1 },
    solving: { strategy: 'drafts' as const, drafts: 1, rewrites: 1 },
  };
  const guard = "  if (a === undefined) throw new TypeError('a is missing');\n";
  const guarded = WRONG.replace('  return', `${guard}  return`);

  test('keeps what its answer left out, where the checks pass with it as well', async () => {
    writeSource(guarded);
    const { result, rows } = await run([answer('return a + b;')], [], { config });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 1 });
    expect(source()).toBe(guarded.replace('a - b', 'a + b'));
    expect(rows[0]?.text).toBe(
      'Draft 1: with the lines that it left out: +1 −1 in src/add.js; the check passes',
    );
  });

  test('stays without what fails', async () => {
    const broken = WRONG.replace('  return', '  if (b === 2) return 0;\n  return');
    writeSource(broken);
    const { result } = await run([answer('return a + b;')], [], { config });
    expect(result).toMatchObject({ status: 'success', iterations_used: 1 });
    expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
  });

  test('also one that is a function written anew', async () => {
    writeSource(guarded);
    const { result } = await run([answer('return a;'), verbatim('  return a + b;\n}\n')], [], { config });
    expect(result).toMatchObject({ status: 'success', iterations_used: 2 });
    expect(source()).toBe(guarded.replace('a - b', 'a + b'));
  });
});
