// Loads TypeScript with its types stripped, and the tests' `@jest/globals` as the small runner beside this file. What a module
// with a query imports from this project gets that query too: another query loads everything again.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const globals = new URL('globals.mjs', import.meta.url).href;
/** What each file became, by its path. */
const stripped = new Map();

export async function resolve(name, context, next) {
  const found = name === '@jest/globals' ? { url: globals, shortCircuit: true } : await next(name, context);
  const query = context.parentURL?.match(/\?load=\d+$/)?.[0];
  const isOurs = found.url.startsWith('file:') && !/\/node_modules\/|\?/.test(found.url);
  return query && isOurs ? { ...found, url: found.url + query } : found;
}

export async function load(url, context, next) {
  const [file] = url.split('?');
  if (!file.startsWith('file:') || !file.endsWith('.ts')) return next(url, context);
  const path = fileURLToPath(file);
  if (!stripped.has(path)) stripped.set(path, strip(path));
  return { format: 'module', source: await stripped.get(path), shortCircuit: true };
}

async function strip(path) {
  const { code } = await transform(await readFile(path, 'utf8'), {
    loader: 'ts',
    target: 'es2023',
    sourcefile: path,
    sourcemap: 'inline',
  });
  return code;
}
