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
 * Parts of packages that they load only where they are asked for: Fastify's compilers of JSON Schemas (the hub gives it
 * its own, see hub/api/server.ts) and its injection of requests for tests, pino's threads. A call of one would throw.
 */
const unusedPackages = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
  'thread-stream',
];
const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${unusedPackages.join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `module.exports = function () { throw new Error(${JSON.stringify(`${path} is not part of the bundle`)}); };`,
    }));
  },
};

/**
 * Modules that packages load at once and use seldom or never: TLS for a hub on loopback, HTTP/2, compression. They are
 * loaded where they are first used instead. By the end of the file's path, the constant and its module.
 */
const loadedWhenUsed = {
  'ws/lib/websocket.js': { https: 'https', tls: 'tls' },
  'ws/lib/permessage-deflate.js': { zlib: 'zlib' },
  'fastify/lib/server.js': { https: 'node:https', http2: 'node:http2', dns: 'node:dns' },
  'fastify/lib/plugin-utils.js': { semver: 'semver' },
  'pino/lib/tools.js': { '{ isMainThread }': 'worker_threads' },
};
const lazyModules = {
  name: 'lazy-modules',
  setup({ onLoad }) {
    for (const [file, modules] of Object.entries(loadedWhenUsed)) {
      const filter = new RegExp(
        `node_modules[\\\\/]${file.replaceAll('/', '[\\\\/]').replaceAll('.', '\\.')}$`,
      );
      onLoad({ filter }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const [name, from] of Object.entries(modules)) contents = loadLate(contents, name, from, path);
        return { contents };
      });
    }
  },
};

/** Replaces `const name = require('from')` by a call of `require` at each use. Throws where a new version reads otherwise. */
function loadLate(text, name, from, path) {
  const declaration = new RegExp(`^const ${name} = require\\('${from}'\\);?$`, 'm');
  if (!declaration.test(text)) throw new Error(`${path} does not load ${from} as it did`);
  const member = /^\{ (\w+) \}$/.exec(name)?.[1];
  const use = member ? new RegExp(`\\b${member}\\b`, 'g') : new RegExp(`(?<![\\w.'"/])${name}(?=\\.)`, 'g');
  const late = member ? `require('${from}').${member}` : `require('${from}')`;
  return text.replace(declaration, '').replace(use, late);
}

/** A package of CommonJS outside of the bundle is required: imported, Node would first parse it for its exports' names. */
const requiredSqlite = {
  name: 'required-sqlite',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path, namespace }) =>
      namespace === 'required' ? { path, external: true } : { path, namespace: 'required' },
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
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
  // OpenTelemetry's packages are half as large where unused parts can be left out.
  mainFields: ['module', 'main'],
  sourcemap: true,
  sourcesContent: false,
  // Names stay: they stand in logged stacks.
  minifyWhitespace: true,
  minifySyntax: true,
  chunkNames: 'chunks/[name]-[hash]',
  external: ['better-sqlite3', '@vscode/ripgrep', 'pg', 'pg-native', 'pino-pretty', 'web-tree-sitter'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [withoutOwnFetch, onlyUsedZod, withoutUnused, lazyModules, requiredSqlite],
  logLevel: 'warning',
};

/** The command line's, which is loaded as one script. */
const { splitting: _splitting, chunkNames: _names, banner: _banner, ...wholeOptions } = bundleOptions;
export const programOptions = {
  ...wholeOptions,
  format: 'cjs',
  charset: 'ascii',
  // Code from a cache cannot import by itself: require takes its place.
  supported: { 'dynamic-import': false },
  // What sidecar/cli/code-cache.ts gives to the script.
  define: { 'import.meta.url': '__programUrl' },
};
