/** Renames that the program makes by itself. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { renameIdentifier } from '../../../sidecar/definitions/index.ts';
import { renamesAsked } from '../../../sidecar/execution/drafts/renaming.ts';
import { verbatim } from '../../support/scripted-model.ts';
import { answer, draftRuns } from './draft-runs.ts';

describe('which renames a task asks for', () => {
  test.each([
    ['Rename `get_cfg` to `load_settings` everywhere.', [{ from: ['get_cfg'], to: 'load_settings' }]],
    [
      'Rename the option `timeout` of connect() to `timeoutMs`, in src/a.js too.',
      [{ from: ['timeout', 'connect'], to: 'timeoutMs' }],
    ],
    [
      'Rename the function rpt_all in lib.sh to report_line and the variable RPT_DIR to REPORT_DIR in all scripts.',
      [
        { from: ['rpt_all'], to: 'report_line' },
        { from: ['RPT_DIR'], to: 'REPORT_DIR' },
      ],
    ],
    ['We are renaming fmt() to formatPrice().', [{ from: ['fmt'], to: 'formatPrice' }]],
    ['Please rename the function dist in geo.py to distance_km.', [{ from: ['dist'], to: 'distance_km' }]],
    ['Rename the class Store to Shop, and the field of Shop to shelf.', [{ from: ['Store'], to: 'Shop' }]],
    [
      'Rename `len` to seconds; the key "len" and its changes stay as they are.',
      [{ from: ['len'], to: 'seconds' }],
    ],
    ['"conv" has to be renamed: rename it.', []],
    ['Rename `a1`, so that it says what it does.', []],
    ['Fix total() in src/total.js; it has to return 3.', []],
  ])('%s', (task, renames) => {
    expect(renamesAsked(task)).toEqual(renames);
  });
});

test('names are replaced, and no other word that holds them', async () => {
  const text =
    "import { conv } from './conv.js';\nconst convWind = conv(1); // conv\nx.conv = { conv, a: 'conv' };\n`${conv}`;\n";
  expect(await renameIdentifier('javascript', text, { from: 'conv', to: 'toF', withTexts: true })).toBe(
    "import { toF } from './conv.js';\nconst convWind = toF(1); // conv\nx.toF = { toF, a: 'toF' };\n`${toF}`;\n",
  );
  const python = "def get():\n    return 1\n\n__all__ = ['get']\ntarget = obj.get\n";
  expect(await renameIdentifier('python', python, { from: 'get', to: 'load', withTexts: true })).toBe(
    python.replaceAll(/\bget\b/g, 'load'),
  );
  const shell = 'RPT=${RPT:-x}\nrpt() { echo "$RPT/rpt.txt"; }\nrpt\n';
  expect(await renameIdentifier('bash', shell, { from: 'rpt', to: 'report', withTexts: true })).toBe(
    'RPT=${RPT:-x}\nreport() { echo "$RPT/rpt.txt"; }\nreport\n',
  );
});

test('strings stay where they may be other data', async () => {
  const text = 'def dist(a):\n    return {"dist": dist(a - 1)}\n';
  expect(await renameIdentifier('python', text, { from: 'dist', to: 'km', withTexts: false })).toBe(
    'def km(a):\n    return {"dist": km(a - 1)}\n',
  );
  const go = 'package m\n\nvar dist = "dist" + `dist`\n';
  expect(await renameIdentifier('go', go, { from: 'dist', to: 'km', withTexts: false })).toBe(
    'package m\n\nvar km = "dist" + `dist`\n',
  );
});

describe('a task that asks for a rename', () => {
  const { run, source, writeSource, dir } = draftRuns();
  const sum = 'export function sum(a, b) {\n  return a + b;\n}\n';
  const check = `node -e "Promise.all([import('./src/add.js'), import('./src/use.js')]).then(([a, { three }]) => process.exit(a.sum && !a.add && three() === 3 ? 0 : 1))"`;
  const task = {
    description: 'Rename `add` in src/add.js to `sum`, everywhere it is used, and in the README.',
    verification_steps: [{ type: 'command_succeeds' as const, target: check }],
  };
  const config = {
    brief: { seconds: 15 },
    ollama: { slots: 1 },
    solving: { strategy: 'drafts' as const, drafts: 1 },
  };
  const write = (path: string, text: string): void => {
    mkdirSync(join(dir(), path, '..'), { recursive: true });
    writeFileSync(join(dir(), path), text);
  };
  const textOf = (path: string): string => readFileSync(join(dir(), path), 'utf8');
  const prepare = (): void => {
    writeSource(sum.replace('sum', 'add'));
    write('src/use.js', "import { add } from './add.js';\nexport const three = () => add(1, 2);\n");
    write('README.md', 'Use `add(1, 2)` to add two numbers.\n');
    write('test/add.test.js', "import { add } from '../src/add.js';\nadd(1, 2);\n");
  };

  test('is done by the program where the answer does a part of it', async () => {
    prepare();
    const { result, rows } = await run([answer('return a + b + 0;')], [], { config, task });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 1 });
    expect(source()).toBe(sum);
    expect(textOf('src/use.js')).toBe(
      "import { sum } from './add.js';\nexport const three = () => sum(1, 2);\n",
    );
    expect(textOf('README.md')).toBe('Use `sum(1, 2)` to add two numbers.\n');
    expect(textOf('test/add.test.js')).toContain('import { add }');
    expect(rows[0]?.text).toMatch(/^Draft 1: the name replaced in every file: .*; the check passes$/u);
    expect(result.output).toContain('The name was replaced in every file, as the task says it.');
  });

  test('is done by the program where the answer passes and leaves the old name', async () => {
    prepare();
    const both = `${sum.replace('sum', 'add')}\nexport { add as sum };\n`;
    const check = `node -e "import('./src/add.js').then((a) => process.exit(a.sum(1, 2) === 3 ? 0 : 1))"`;
    const loose = { ...task, verification_steps: [{ type: 'command_succeeds' as const, target: check }] };
    const { result } = await run([verbatim(`\`\`\`js\n// src/add.js\n${both}\`\`\``)], [], {
      config,
      task: loose,
    });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(source()).toBe(sum);
    expect(textOf('src/use.js')).toContain('sum(1, 2)');
  });

  test('leaves a string that is a key of other data', async () => {
    prepare();
    const use =
      "import { add } from './add.js';\nexport const three = () => ({ 'add': add(1, 2) })['add'];\n";
    write('src/use.js', use);
    const { result } = await run([verbatim('I renamed it.')], [], { config, task });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(textOf('src/use.js')).toBe(
      "import { sum } from './add.js';\nexport const three = () => ({ 'add': sum(1, 2) })['add'];\n",
    );
  });

  test('also where the answer holds no change', async () => {
    prepare();
    const { result } = await run([verbatim('I renamed it.')], [], { config, task });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(source()).toBe(sum);
  });

  test('also where the checks passed before, and pass with it', async () => {
    prepare();
    const check = `node -e "import('./src/use.js').then((u) => process.exit(u.three() === 3 ? 0 : 1))"`;
    const passing = { ...task, verification_steps: [{ type: 'command_succeeds' as const, target: check }] };
    const { result, rows } = await run([verbatim('I renamed it.'), verbatim('So did I.')], [], {
      config: { ...config, solving: { ...config.solving, drafts: 2 } },
      task: passing,
    });
    expect(source()).toBe(sum);
    expect(textOf('src/use.js')).toContain('sum(1, 2)');
    expect(rows).toHaveLength(1);
    expect(result.output).toContain('The checks passed already, and pass with it.');
  });

  test('and stays undone where the checks do not pass with it', async () => {
    prepare();
    write('src/use.js', 'export const three = () => 4;\n');
    const { result } = await run([verbatim('I renamed it.')], [], { config, task });
    expect(result.status).toBe('failed');
    expect(source()).toBe(sum.replace('sum', 'add'));
  });
});
