// Writes the documents that are generated from the schemas; with --check it only says which are stale.
import { build } from 'esbuild';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';

const check = process.argv.includes('--check');
const dir = await mkdtemp(resolve('node_modules/.docs-'));
try {
  const outfile = join(dir, 'documents.mjs');
  await build({
    entryPoints: ['scripts/documents.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const { documents } = await import(pathToFileURL(outfile).href);
  for (const [path, content] of Object.entries(documents)) {
    const options = { ...(await resolveConfig(path)), filepath: path };
    const wanted = await format(content, options);
    const found = await readFile(path, 'utf8').catch(() => '');
    if (found === wanted) continue;
    if (check) {
      console.error(`${path} does not fit its schema any more: run "npm run docs"`);
      process.exitCode = 1;
    } else {
      await writeFile(path, wanted);
      console.log(`wrote ${path}`);
    }
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}
