// Bundles the command line and the library into dist/ with shared chunks, so that a start reads a few
// files instead of hundreds.
import { build } from 'esbuild';
import { chmod, cp, rm } from 'node:fs/promises';
import { bundleOptions } from './bundle.mjs';

const outdir = 'dist';
await rm(outdir, { recursive: true, force: true });
await build({
  ...bundleOptions,
  entryPoints: { cli: 'sidecar/cli/main.ts', index: 'sidecar/index.ts' },
  outdir,
});
await cp('sidecar/hub/dashboard/page', `${outdir}/dashboard`, { recursive: true });
await chmod(`${outdir}/cli.js`, 0o755);
