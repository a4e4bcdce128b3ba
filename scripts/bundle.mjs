// How the TypeScript sources become JavaScript: shared by the build and by the benchmarks, which measure what is shipped.
// Packages with native code, worker threads or files of their own stay outside.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const noFetch = fileURLToPath(new URL('no-fetch.mjs', import.meta.url));

const inPackage = (path) => new RegExp(`node_modules[\\\\/]${path.replaceAll('/', '[\\\\/]')}\\.js$`);

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
 * Modules of Node that packages load at once and use seldom or never: TLS for a hub on loopback, HTTP/2, compression.
 * They get a stand-in that loads the module when a member of it is first read.
 */
const loadedWhenUsed = [
  { by: inPackage('ws/lib/websocket'), modules: /^(?:https|tls)$/ },
  { by: inPackage('ws/lib/permessage-deflate'), modules: /^zlib$/ },
  { by: inPackage('fastify/lib/server'), modules: /^node:(?:https|http2|dns)$/ },
];
const lazyModules = {
  name: 'lazy-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?(?:https|tls|zlib|http2|dns)$/ }, ({ path, importer }) =>
      loadedWhenUsed.some(({ by, modules }) => by.test(importer) && modules.test(path))
        ? { path, namespace: 'lazy' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require(${JSON.stringify(path)})[name] });`,
    }));
  },
};

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
  // The SDK uses Node's own fetch and Headers, for which the bundle has a stand-in (`inject`).
  external: [
    '@modelcontextprotocol/sdk',
    'better-sqlite3',
    '@vscode/ripgrep',
    'pg',
    'pg-native',
    'pino-pretty',
    'web-tree-sitter',
  ],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  inject: [noFetch],
  alias: { 'whatwg-fetch': noFetch },
  plugins: [withoutUnused, lazyModules, requiredSqlite],
  logLevel: 'warning',
};

/** The launcher is a program of its own; it lies in the folder of the part that starts it. */
export const copyLauncher = (folder) =>
  copyFile(
    new URL('../sidecar/base/system/launcher-process.mjs', import.meta.url),
    join(folder, 'launcher-process.mjs'),
  );
