import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { verdictOf } from '../../../sidecar/solving/drafts/draft-events.ts';
import { say, verbatim } from '../../support/scripted-model.ts';
import { answer, CHECK, draftRuns, right, WRONG } from './draft-runs.ts';

/** Changes that pass the checks and are to be looked at: something speaks against them, or they are not the whole answer. */
const { dir, run, source } = draftRuns();

const TEST = `import { add } from './add.js';
if (add(100, 200) !== 300) { console.log('not ok 1 - adds'); process.exit(1); }
`;
const task = {
  description: 'Adding gives wrong results.',
  verification_steps: [{ type: 'command_succeeds' as const, target: 'node src/add.test.js' }],
};
const draw = (drafts: Parameters<typeof run>[0]) => {
  writeFileSync(join(dir(), 'src/add.test.js'), TEST);
  return run(drafts, undefined, {
    config: { solving: { strategy: 'drafts', drafts: drafts.length } },
    task,
  });
};

test('people are told of a part of the answer that found no place', async () => {
  const body = '```js\n// src/add.js\nexport function add(a, b) {\n  return a + b;\n}\n```';
  const { result } = await draw([
    verbatim(`It subtracts.\n\n${body}\n\n\`\`\`json\n{ "port": 9100 }\n\`\`\``),
  ]);
  expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
  expect(result.output).toBe(
    'It subtracts.\n\nDraft 1 of 1 passes the checks. Part of the answer was not applied: { "port": 9100 } (the block names no file, and its definitions belong to no single file).',
  );
});

test('a change that was tried before is told with the draft that made it', () => {
  const files = [{ path: 'a.js', before: 'a < 1\n', after: 'a <= 1\n' }];
  expect(verdictOf({ number: 3, files, reason: '', answer: '', duplicateOf: 2 })).toBe(
    '+1 −1 in a.js; the same as draft 2',
  );
});

/** Drafts that are drawn while another is drawn or checked. */
describe('several slots', () => {
  const { run } = draftRuns();

  describe('a server with more than one slot', () => {
    const slow = (turn: ReturnType<typeof answer>, delayMs: number) => ({
      ...turn,
      delayMs,
      tokensOut: delayMs / 25,
    });
    const config = {
      solving: { strategy: 'auto' as const, drafts: 3, repairs: 0 },
      brief: { seconds: 15 },
      ollama: { slots: 3 },
    };

    test('is asked for several drafts at once, and those that nobody needs any more are cut off', async () => {
      const { result, rows, chats } = await run(
        [answer('return 0;'), slow(answer('return 1;'), 30_000), slow(right, 200)],
        undefined,
        { config },
      );
      expect(result).toMatchObject({
        status: 'success',
        verification_status: 'verified',
        iterations_used: 2,
      });
      expect(chats).toHaveLength(3);
      expect(rows.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^Draft 1: .*0 of 1 checks pass/u),
        expect.stringMatching(/^Draft 3: .*the check passes/u),
        'Draft 2: no change; not checked: another draft was chosen first',
      ]);
    });

    test('a call that fails beside one that passes does not matter', async () => {
      const { result } = await run([answer('return 0;'), slow(right, 400)], undefined, { config });
      expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    });
  });

  test('while slow checks run the next draft is asked for', async () => {
    const slow = { type: 'command_succeeds' as const, target: `sleep 2.2; ${CHECK}` };
    const { result, rows, chats } = await run([answer('return 0;'), right, answer('return 2;')], undefined, {
      task: { verification_steps: [slow] },
    });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(chats).toHaveLength(3);
    expect(rows[2]).toMatchObject({
      text: 'Draft 3: no change; not checked: another draft was chosen first',
      draft: { not_needed: true },
    });
  });
});

/** A draft for a file that exists and that nobody could read, and for one in another encoding. */
describe('unreadable file', () => {
  const { run, dir } = draftRuns();

  const diff =
    '```diff\n--- a/src/add.js\n+++ b/src/add.js\n@@ -1,3 +1,3 @@\n export function add(a, b) {\n-  return a - b;\n+  return a + b;\n }\n```';

  test.each([
    ['a definition', answer('return a + b;')],
    ['a diff', verbatim(`It subtracts.\n\n${diff}`)],
  ])('%s does not replace it, and the reason is told', async (_form, draft) => {
    const bytes = Buffer.concat([Buffer.from(WRONG), Buffer.from('// \0\n')]);
    writeFileSync(join(dir(), 'src/add.js'), bytes);
    writeFileSync(join(dir(), 'src/add.test.js'), "import { add } from './add.js';\nadd(1, 2);\n");
    const { result, rows } = await run([draft], undefined, {
      task: { metadata: { strategy: 'drafts', drafts: 1 }, file_hints: ['src/add.js', 'src/add.test.js'] },
    });
    expect(rows[0]?.text).toContain('not checked: the file exists and is not text; change it with');
    expect(result?.verification_status).not.toBe('verified');
    expect(bytes.equals(readFileSync(join(dir(), 'src/add.js')))).toBe(true);
  });

  const HEAD = Buffer.from('// gepr\xfcft\r\nexport const unit = "\x80";\r\n', 'latin1');
  const moved = diff
    .replace(
      '--- a',
      'diff --git a/src/add.js b/src/sum.js\nrename from src/add.js\nrename to src/sum.js\n--- a',
    )
    .replace('+++ b/src/add.js', '+++ b/src/sum.js');

  test.each([
    ['a definition', answer('return a + b;'), 'src/add.js'],
    ['a diff', verbatim(`It subtracts.\n\n${diff}`), 'src/add.js'],
    ['a diff that moves it', verbatim(`It subtracts.\n\n${moved}`), 'src/sum.js'],
  ])('%s changes one in Windows-1252, and every other byte and its mode stay', async (_form, draft, path) => {
    const bytes = (text: string) => Buffer.concat([HEAD, Buffer.from(text.replaceAll('\n', '\r\n'))]);
    writeFileSync(join(dir(), 'src/add.js'), bytes(WRONG));
    chmodSync(join(dir(), 'src/add.js'), 0o755);
    const { result } = await run([draft], undefined, {
      task: {
        metadata: { strategy: 'drafts', drafts: 1 },
        verification_steps: [{ type: 'command_succeeds', target: `grep -aq 'a + b' ${path}` }],
      },
    });
    expect(result?.verification_status).toBe('verified');
    expect(readFileSync(join(dir(), path), 'latin1')).toBe(bytes(WRONG.replace('-', '+')).toString('latin1'));
    expect(statSync(join(dir(), path)).mode & 0o777).toBe(0o755);
  });
});

/** Drafts where the checks cannot choose. */
describe('voting', () => {
  const { run, source } = draftRuns();

  describe('checks that cannot choose', () => {
    const passing = { verification_steps: [{ type: 'file_exists', target: 'src/add.js' }] };

    test('two drafts that agree are taken', async () => {
      const { result, chats } = await run([answer('return a * b;'), right, right], undefined, {
        task: passing,
      });
      expect(result).toMatchObject({ status: 'success', iterations_used: 3 });
      expect(result.output).toContain(
        'The checks already passed before the task; 2 of 3 drafts make this change.',
      );
      expect(source()).toContain('a + b');
      expect(chats).toHaveLength(3);
    });

    test('what no two agree on goes to the loop, from the base', async () => {
      const { result, chats } = await run(
        [1, 2, 3, 4].map((n) => answer(`return ${n};`)),
        undefined,
        { task: passing },
      );
      expect(chats[4]?.tools).toBeDefined();
      expect(result).toMatchObject({ status: 'partial', changes: { files: [] } });
      expect(source()).toBe(WRONG);
    });

    test('where nothing follows nothing is changed', async () => {
      const { result, chats } = await run([right, answer('return 2;')], undefined, {
        task: passing,
        config: { brief: { seconds: 15 }, solving: { strategy: 'drafts', drafts: 2, repairs: 0 } },
      });
      expect(result).toMatchObject({ status: 'partial', termination_reason: 'max_iterations' });
      expect(result.output).toContain('no two of 2 drafts agree.');
      expect(source()).toBe(WRONG);
      expect(chats).toHaveLength(2);
    });
  });

  test('a change that was asked for and not made is no success because the checks pass as before', async () => {
    const { result } = await run([{ ...say('I cannot say.'), repeat: 'always' }], undefined, {
      task: { verification_steps: [{ type: 'file_exists', target: 'src/add.js' }] },
    });
    expect(result).toMatchObject({ status: 'partial', verification_status: 'unverified' });
    expect(result.remaining).toEqual(['The checks already passed, and nothing was changed.']);
  });
});
