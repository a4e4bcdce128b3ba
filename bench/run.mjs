// `npm run bench [-- PART…] [--json] [--model NAME] [--ollama-url URL] [--against CHECKOUT]`: bundles the parts as the build does, runs each in
// a process of its own, and prints every figure with its target beside it. Nothing asserts.
import { build } from 'esbuild';
import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleOptions, copyLauncher } from '../scripts/bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
/** Inside the repository, since the bundles look for their packages from where they are. */
const bundleDir = join(here, '.bundle');
/** Asked for by name only: they measure a model, or fetch hundreds of megabytes. */
const onRequest = ['reliability', 'corpus'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    json: { type: 'boolean', default: false },
    model: { type: 'string' },
    'ollama-url': { type: 'string' },
  },
});
const known = readdirSync(here)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))
  .sort();
/** What stands behind `corpus` are names of its projects. */
const projects = positionals[0] === 'corpus' ? positionals.splice(1) : [];
const unknown = positionals.filter((part) => !known.includes(part));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. Parts: ${known.join(', ')}`);
  process.exit(2);
}
const parts = positionals.length > 0 ? positionals : known.filter((part) => !onRequest.includes(part));
if (!existsSync(join(root, 'dist/cli.js'))) {
  console.error('Build first: npm run build');
  process.exit(2);
}

const against = values.against === undefined ? undefined : parserOf(resolve(values.against));
const machine = describeMachine();
if (!values.json) console.log(`${Object.values(machine).join(' · ')}\n`);
process.chdir(root);
await bundle();
const results = [];
for (const part of parts) {
  const outcome = await runPart(part);
  results.push({ part, ...outcome });
  if (!values.json) printPart(part, outcome);
}
await rm(bundleDir, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify({ machine, parts: results }, null, 2));
if (results.some(({ error }) => error)) process.exitCode = 1;

function describeMachine() {
  const cpus = os.cpus();
  return {
    cpu: `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}`,
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
    system: `${os.type()} ${os.release()}`,
    node: `Node ${process.version}`,
    load: `load ${os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  };
}

async function bundle() {
  await rm(bundleDir, { recursive: true, force: true });
  await mkdir(bundleDir);
  const support = readdirSync(join(here, 'support')).filter((name) => name.endsWith('-process.ts'));
  await build({
    ...bundleOptions,
    external: [...bundleOptions.external, 'playwright-core'],
    entryPoints: [
      ...parts.map((part) => join(here, `${part}.ts`)),
      ...support.map((name) => join(here, 'support', name)),
    ],
    outbase: here,
    outdir: bundleDir,
  });
  await copyLauncher(join(bundleDir, 'chunks'));
  if (against)
    await build({ ...bundleOptions, entryPoints: { 'against-parser': against }, outdir: bundleDir });
}

/** The file of another checkout that exports `parseToolCalls`, which `parser` measures beside this one's. */
function parserOf(checkout) {
  const places = ['sidecar/parsing/answers/parse-answer.ts', 'sidecar/model/parsing/parse-tool-calls.ts'];
  const found = places.map((path) => join(checkout, path)).find((path) => existsSync(path));
  if (!found) {
    console.error(`No parser in ${checkout}: give --against a checkout of this repository.`);
    process.exit(2);
  }
  return found;
}

/** Runs one part in a process of its own; a part that fails is told and does not end the others. */
function runPart(part) {
  return new Promise((done) => {
    const child = fork(join(here, 'run-part.mjs'), [join(bundleDir, `${part}.js`)], {
      env: {
        ...process.env,
        BENCH_BUNDLE: bundleDir,
        BENCH_CLI: resolve(root, 'dist/cli.js'),
        // Compiled code that the command line keeps from one start to the next.
        XDG_CACHE_HOME: join(bundleDir, 'cache'),
        CORPUS_CACHE: join(process.env.XDG_CACHE_HOME || join(os.homedir(), '.cache'), 'ollama-sidecar'),
        CORPUS_PROJECTS: projects.join(','),
        ...(values.model && { BENCH_MODEL: values.model }),
        ...(values['ollama-url'] && { BENCH_OLLAMA: values['ollama-url'] }),
        ...(against && { BENCH_AGAINST: join(bundleDir, 'against-parser.js') }),
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let outcome = { figures: [], error: 'the part ended without a word' };
    child.on('message', (message) => (outcome = message));
    child.on('close', () => done(outcome));
  });
}

function printPart(part, { figures, tables = [], error, seconds }) {
  console.log(`${part}${seconds === undefined ? '' : ` (${seconds} s)`}`);
  const rows = figures.map(({ name, value, unit, target, note }) => ({
    name,
    value: value === null ? '–' : `${rounded(value)} ${unit}`.trim(),
    target: target ? `target ${target}` : '',
    note: note ?? '',
  }));
  const width = (key) => Math.max(0, ...rows.map((row) => row[key].length));
  for (const { name, value, target, note } of rows) {
    const cells = [
      name.padEnd(width('name')),
      value.padStart(width('value')),
      target.padEnd(width('target')),
    ];
    console.log(`  ${cells.join('  ')}  ${note}`.trimEnd());
  }
  for (const table of tables) printTable(table);
  if (error) console.log(`  failed: ${error}`);
  console.log();
}

function printTable({ title, columns, rows }) {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index].length)),
  );
  const line = (cells) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index])))
      .join('  ');
  console.log(`\n  ${title}`);
  for (const cells of [columns, ...rows]) console.log(`  ${line(cells)}`);
}

/** Three significant digits, no exponent. */
function rounded(value) {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(Math.abs(value) >= 1 ? 2 : 3);
}
