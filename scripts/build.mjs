// Bundles the library and the command line into dist/, as modules that share their parts.
import { build } from 'esbuild';
import { chmod, copyFile, cp, rm } from 'node:fs/promises';
import { bundleOptions, copyLauncher } from './bundle.mjs';

const outdir = 'dist';
await rm(outdir, { recursive: true, force: true });
await build({
  ...bundleOptions,
  entryPoints: { index: 'sidecar/index.ts', main: 'sidecar/cli/main.ts' },
  outdir,
});
await cp('sidecar/hub/dashboard/page', `${outdir}/dashboard`, { recursive: true });
await copyFile('sidecar/cli/entry.mjs', `${outdir}/cli.js`);
// A part that both entry points use.
await copyLauncher(`${outdir}/chunks`);
await chmod(`${outdir}/cli.js`, 0o755);
