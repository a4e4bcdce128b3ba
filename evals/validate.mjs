#!/usr/bin/env node
// Checks the tasks of evals/tasks, or those named (ids or globs); README.md here says what is checked.
// It runs the sources of sidecar/cli/evaluate, bundled in memory as the build does it.
import { build } from 'esbuild';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleOptions } from '../scripts/bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
// Below node_modules: the packages that stay outside of the bundle are found from there.
const outdir = await mkdtemp(join(root, 'node_modules', '.validate-'));
try {
  const outfile = join(outdir, 'validate.mjs');
  await build({
    ...bundleOptions,
    splitting: false,
    absWorkingDir: root,
    entryPoints: ['sidecar/cli/evaluate/validate-suite.ts'],
    outfile,
    outdir: undefined,
  });
  const { validateSuite } = await import(outfile);
  process.exitCode = await validateSuite(join(here, 'tasks'), process.argv.slice(2));
} finally {
  await rm(outdir, { recursive: true, force: true });
}
