// Bundles the command line and the library into dist/ with shared chunks, so that a start reads a few
// files instead of hundreds. Packages with native code, worker threads or files of their own stay outside.
import { build } from 'esbuild';
import { chmod, cp, rm } from 'node:fs/promises';

const outdir = 'dist';
await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: { cli: 'sidecar/cli/main.ts', index: 'sidecar/index.ts' },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  chunkNames: 'chunks/[name]-[hash]',
  external: ['better-sqlite3', '@vscode/ripgrep', 'pg', 'pg-native', 'pino', 'pino-pretty'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
await cp('sidecar/hub/dashboard/page', `${outdir}/dashboard`, { recursive: true });
await chmod(`${outdir}/cli.js`, 0o755);
