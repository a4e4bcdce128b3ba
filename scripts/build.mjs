// Bundles the command line and the library into dist/ with shared chunks, so that a start reads a few
// files instead of hundreds. Packages with native code, worker threads or files of their own stay outside.
import { build } from 'esbuild';
import { chmod, cp, readFile, rm } from 'node:fs/promises';

/** One `instanceof Headers` in the ollama package would load all of Node's own fetch (8 MB), which is not used. */
const withoutOwnFetch = {
  name: 'without-own-fetch',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]ollama[\\/]dist[\\/].*\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: `class Headers {}\n${text.replace("import 'whatwg-fetch';", '')}` };
    });
  },
};

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
  plugins: [withoutOwnFetch],
  logLevel: 'warning',
});
await cp('sidecar/hub/dashboard/page', `${outdir}/dashboard`, { recursive: true });
await chmod(`${outdir}/cli.js`, 0o755);
