// Loads TypeScript with its types stripped, and the tests' `@jest/globals` as the small runner beside this file.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const globals = new URL('globals.mjs', import.meta.url).href;

export const resolve = (name, context, next) =>
  name === '@jest/globals' ? { url: globals, shortCircuit: true } : next(name, context);

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    loader: 'ts',
    target: 'es2023',
    sourcefile: fileURLToPath(url),
    sourcemap: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
