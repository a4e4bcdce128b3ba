/**
 * Packages of many files as one file each: Jest reads and links every module anew for each suite. They are bundled as the
 * build does it, once for each state of the lock file, and share their common parts.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../scripts/bundle.mjs';

const TRACING = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'];
const PACKAGES = [
  'diff',
  'execa',
  'fast-glob',
  'fastify',
  'kysely',
  'pino',
  'prom-client',
  'ws',
  'yaml',
  'zod',
  ...TRACING.map((name) => `@opentelemetry/${name}`),
];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Jest's `moduleNameMapper` for them. */
export async function bundledPackages() {
  const state = createHash('sha256');
  for (const file of ['package-lock.json', 'scripts/bundle.mjs', 'test/support/packages.js'])
    state.update(await readFile(join(ROOT, file)));
  const folder = join(ROOT, '.cache/test-packages', state.digest('hex').slice(0, 16));
  if (!existsSync(folder)) await bundleInto(folder);
  return Object.fromEntries(PACKAGES.map((name) => [`^${name}$`, join(folder, `${fileOf(name)}.mjs`)]));
}

const fileOf = (name) => name.replaceAll(/\W+/g, '-');

/** Whole at once, also where two runs begin together. */
async function bundleInto(folder) {
  await mkdir(dirname(folder), { recursive: true });
  const outdir = await mkdtemp(`${folder}-`);
  await build({
    ...bundleOptions,
    plugins: [entries, ...bundleOptions.plugins],
    entryPoints: Object.fromEntries(PACKAGES.map((name) => [fileOf(name), `package:${name}`])),
    outdir,
    outExtension: { '.js': '.mjs' },
    sourcemap: false,
    logLevel: 'error',
  });
  await rename(outdir, folder).catch(() => rm(outdir, { recursive: true }));
}

const entries = {
  name: 'entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^package:/ }, ({ path }) => ({ path: path.slice(8), namespace: 'entry' }));
    onLoad({ filter: /.*/, namespace: 'entry' }, async ({ path }) => ({
      contents: await entryOf(path),
      resolveDir: ROOT,
    }));
  },
};

/** All that a package exports, by name: the names of one in CommonJS are known only where it is loaded. */
async function entryOf(name) {
  const names = Object.keys(await import(name)).filter((one) => /^\w+$/.test(one) && one !== 'default');
  return `import * as all from '${name}';\nexport default all.default;\nexport const { ${names.join(', ')} } = all;`;
}
