/** A draft for a file that exists and that nobody could read, and for one in another encoding. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { verbatim } from '../support/scripted-model.ts';
import { answer, draftRuns, WRONG } from './draft-runs.ts';

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
  expect(rows[0]?.text).toContain('not tried: the file exists and is no text; change it with');
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
