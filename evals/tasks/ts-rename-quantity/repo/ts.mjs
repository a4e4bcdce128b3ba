// Lets Node run TypeScript: strips the types when a .ts file is loaded.
import { register } from 'node:module';

register(`data:text/javascript,${encodeURIComponent(`
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
const { transformSync } = createRequire(${JSON.stringify(import.meta.url)})('amaro');
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(await readFile(new URL(url), 'utf8'), { mode: 'strip-only' });
  return { format: 'module', shortCircuit: true, source: code };
}`)}`);
