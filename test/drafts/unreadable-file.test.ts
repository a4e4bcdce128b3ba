/** A draft for a file that exists and that nobody could read. */
import { readFileSync, writeFileSync } from 'node:fs';
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
  const bytes = Buffer.concat([Buffer.from('// gepr\xfcft\n', 'latin1'), Buffer.from(WRONG)]);
  writeFileSync(join(dir(), 'src/add.js'), bytes);
  writeFileSync(join(dir(), 'src/add.test.js'), "import { add } from './add.js';\nadd(1, 2);\n");
  const { result, rows } = await run([draft], undefined, {
    task: { metadata: { strategy: 'drafts', drafts: 1 }, file_hints: ['src/add.js', 'src/add.test.js'] },
  });
  expect(rows[0]?.text).toContain('not tried: the file exists and is not UTF-8 text; change it with');
  expect(result?.verification_status).not.toBe('verified');
  expect(bytes.equals(readFileSync(join(dir(), 'src/add.js')))).toBe(true);
});
