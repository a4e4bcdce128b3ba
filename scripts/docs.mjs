// Writes the documents that are made from the schemas, the table of rooms and the lists of attempts; `--check` only says
// whether they are current.
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { adviceModule } from './advice.mjs';
import { withRooms } from './rooms.mjs';

/** File by file: the module (bundled in memory, since it is TypeScript) and the function that gives its content. */
const documents = [
  ['docs/PROTOCOL.md', 'scripts/protocol-reference.ts', 'protocolMarkdown'],
  ['docs/protocol.schema.json', 'scripts/protocol-reference.ts', 'protocolJsonSchema'],
  ['docs/CONFIGURATION.md', 'scripts/configuration-reference.ts', 'configReference'],
  ['docs/MODELS.md', 'scripts/models-reference.ts', 'modelsMarkdown'],
  ['sidecar/hub/dashboard/page/endings.js', 'scripts/endings.ts', 'endingsModule'],
  ['docs/configuration.schema.json', 'sidecar/base/config/schema-keys.ts', 'createConfigJsonSchema'],
];

const onlyCheck = process.argv.includes('--check');
let stale = 0;
for (const [path, source, name] of documents) {
  const module = await bundled(source);
  const content = module[name]();
  await keep(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}
await keep('sidecar/hub/dashboard/page/advice.js', adviceModule(await readFile('docs/ERRORS.md', 'utf8')));
await keep('docs/ARCHITECTURE.md', withRooms(await readFile('docs/ARCHITECTURE.md', 'utf8')));
await keep('docs/SECURITY.md', await withTables(await readFile('docs/SECURITY.md', 'utf8')));
if (onlyCheck && stale > 0) process.exitCode = 1;

/** A module in TypeScript, bundled in memory. */
async function bundled(source) {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'warning',
  });
  return await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
}

/** The document with what was tried, and with the table of runners, between their marks. */
async function withTables(document) {
  const { attemptTable } = await bundled('test/docs/attempt-table.ts');
  const { runnersTable } = await bundled('scripts/runners-table.ts');
  const marks = (text, name) => [`<!-- ${text} -->`, `<!-- end of ${name} -->`];
  const attempts = marks('attempts: made by npm run docs from the lists of test/', 'attempts');
  const runners = marks('runners: made by npm run docs from sidecar/solving/brief/runners.ts', 'runners');
  return between(between(document, attempts, attemptTable()), runners, runnersTable());
}

function between(document, [begin, end], text) {
  const [before, , after] = document.split(new RegExp(`${begin}|${end}`));
  if (after === undefined) throw new Error(`docs/SECURITY.md has lost its marks: ${begin} … ${end}`);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

/** Writes the text, or says that the file does not hold it. */
async function keep(path, text) {
  const wanted = await format(text, { ...(await resolveConfig(path)), filepath: path });
  const current = await readFile(path, 'utf8').catch(() => '');
  if (current === wanted) return;
  stale += 1;
  if (onlyCheck) console.error(`${path} is not current: run npm run docs`);
  else await writeFile(path, wanted);
}
