import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { problems } from '../../sidecar/hub/api/problem.ts';

/** Where a code is written: a field, or the first (a command's: second) word of what makes a failure. */
const PLACES = [
  // `custom` is zod's word for what a refinement finds.
  /\bcode(?:: | = )'(?!custom')([A-Za-z_]+)'/gu,
  /\b(?:failure|failed|refused|EnvironmentError|StorageError|ProblemError)\(\s*'([A-Za-z_]{5,})'/gu,
  /\bCommandError\(\s*EXIT\.\w+,\s*'([A-Za-z_]+)'/gu,
  /\b(?:HubError|super)\(\s*'\w+',\s*'([a-z_]+)'/gu,
  // The end of a command, a refusal of a task, a word of the hub to a worker.
  /\breport\('([a-z_]+)'/gu,
  /[`'](worker_[a-z_]+): /gu,
  /\b(?:session|this)\.error\(\s*[`']([a-z_]+)/gu,
  // The members of a union of codes, one a line.
  /^ {2}\| '([A-Z_]+|storage_[a-z_]+)'$/gmu,
];

function sources(folder = 'sidecar'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return path.endsWith('.ts') ? [readFileSync(path, 'utf8')] : [];
  });
}

test('every stable code of the sources is explained in docs/ERRORS.md', () => {
  const document = readFileSync('docs/ERRORS.md', 'utf8');
  const texts = sources();
  const codes = new Set(
    PLACES.flatMap((place) =>
      texts.flatMap((text) => [...text.matchAll(place)].map((found) => found[1] ?? '')),
    ),
  );
  for (const code of Object.keys(problems)) codes.add(code);
  expect(codes.size).toBeGreaterThan(80);
  expect([...codes].filter((code) => !document.includes(`\`${code}\``)).sort()).toEqual([]);
});

test('every code that docs/ERRORS.md explains in a list is one of the sources', () => {
  const rows = readFileSync('docs/ERRORS.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- `'));
  const explained = rows.flatMap((row) =>
    [...(row.split(':')[0] ?? '').matchAll(/`(\w+)`/gu)].map((found) => found[1] ?? ''),
  );
  expect(explained.length).toBeGreaterThan(80);
  const all = sources().join('\n');
  const isThere = (code: string) => new RegExp(`['"\`]${code}\\b|^  ${code}: \\{`, 'mu').test(all);
  expect(explained.filter((code) => !isThere(code))).toEqual([]);
});
