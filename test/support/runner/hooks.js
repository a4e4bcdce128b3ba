/** Node's loader for tests: TypeScript without its types, and `@jest/globals` from the framework that runs the test. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('globals.js', import.meta.url).href;
const TESTS = new URL('../../', import.meta.url).href;
/** Holds what each text became, by the text's hash. */
let cacheFolder;

/** A hook of `node:module`. */
export function initialize(data) {
  ({ cacheFolder } = data);
  mkdirSync(cacheFolder, { recursive: true });
}

/** A hook of `node:module`. Modules below `test/` are others for each file of tests. */
export async function resolve(specifier, context, next) {
  const suite = /\?suite=\d+$/.exec(context.parentURL ?? '')?.[0];
  if (suite === undefined) return next(specifier, context);
  if (specifier === '@jest/globals') return { url: `${GLOBALS}${suite}`, shortCircuit: true };
  const found = await next(specifier, context);
  return found.url.startsWith(TESTS) && found.url.endsWith('.ts')
    ? { ...found, url: `${found.url}${suite}` }
    : found;
}

/** A hook of `node:module`. */
export function load(url, context, next) {
  const { pathname } = new URL(url);
  if (!pathname.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: withoutTypes(readFileSync(new URL(url), 'utf8')), shortCircuit: true };
}

/** Other processes may want the same text at this moment: a file is there as a whole, or not at all. */
function withoutTypes(text) {
  const file = join(cacheFolder, createHash('sha256').update(text).digest('hex'));
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const { code } = require('amaro').transformSync(text, { mode: 'strip-only' });
    writeFileSync(`${file}.${process.pid}`, code);
    renameSync(`${file}.${process.pid}`, file);
    return code;
  }
}
