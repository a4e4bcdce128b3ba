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

/**
 * `import { z }` keeps all of zod, its fifty languages included; from `import * as z` what is not used is left out: 190 KB
 * instead of 730, read at every start.
 */
const onlyUsedZod = {
  name: 'only-used-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]sidecar[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return {
        contents: text.replace("import { z } from 'zod';", "import * as z from 'zod';"),
        loader: 'ts',
      };
    });
  },
};

/**
 * Parts of Fastify that it loads only where it has to: compilers of JSON Schemas (the hub gives it its own, see
 * hub/api/server.ts) and the injection of requests for tests. One of them missing would show at once: the call throws.
 */
const unusedPackages = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];
const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${unusedPackages.join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`${path} is not part of the bundle`)}); };`,
    }));
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
  // Names stay: they stand in logged stacks.
  minifyWhitespace: true,
  minifySyntax: true,
  chunkNames: 'chunks/[name]-[hash]',
  external: ['better-sqlite3', '@vscode/ripgrep', 'pg', 'pg-native', 'pino', 'pino-pretty'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [withoutOwnFetch, onlyUsedZod, withoutUnused],
  logLevel: 'warning',
};
