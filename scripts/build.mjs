// Bundles the library and the command line into dist/. The command line is one file of CommonJS, since code that V8 kept
// from an earlier start (sidecar/cli/code-cache.ts) can be given to it in one piece, and a small entry that loads it.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { chmod, cp, readFile, rm } from 'node:fs/promises';
import { bundleOptions, programOptions } from './bundle.mjs';

const outdir = 'dist';
await rm(outdir, { recursive: true, force: true });
await build({ ...bundleOptions, entryPoints: { index: 'sidecar/index.ts' }, outdir });
await build({
  ...programOptions,
  entryPoints: ['sidecar/cli/command-line.ts'],
  outfile: `${outdir}/program.cjs`,
});
await build({
  ...bundleOptions,
  banner: {},
  define: { PROGRAM_HASH: JSON.stringify(await hashOf(`${outdir}/program.cjs`)) },
  splitting: false,
  entryPoints: { cli: 'sidecar/cli/main.ts' },
  outdir,
});
await cp('sidecar/hub/dashboard/page', `${outdir}/dashboard`, { recursive: true });
await chmod(`${outdir}/cli.js`, 0o755);

async function hashOf(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 16);
}
