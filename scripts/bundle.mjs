// How the TypeScript sources become JavaScript: shared by the build and by the benchmarks, which measure what is shipped.
// Packages with native code, worker threads or files of their own stay outside.
import { readFile } from 'node:fs/promises';

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

/** esbuild's options but for entry points and output folder. */
export const bundleOptions = {
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
};
