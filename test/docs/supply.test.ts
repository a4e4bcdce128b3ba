/** What this project takes from others: refused licences and unexplained install scripts fail, and the list of packages is whole. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

interface Entry {
  version?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
}

/** What the check says of a lock file with one package, in a project that explains the scripts of `listed`. */
function faults(
  entry: Entry,
  listed: readonly string[] = [],
  decided: Record<string, boolean> = {},
): string[] {
  const lock = { packages: { '': {}, 'node_modules/pad': { version: '1.0.0', license: 'MIT', ...entry } } };
  const script = `import { faultsOf } from ${JSON.stringify(resolve('scripts/supply.mjs'))};
    const [lock, listed, decided] = JSON.parse(process.argv[1]);
    console.log(JSON.stringify(faultsOf(lock, { listed: new Set(listed), decided })));`;
  const args = ['--input-type=module', '-e', script, JSON.stringify([lock, listed, decided])];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[];
}

describe('a package', () => {
  test.each([
    ['(MIT OR GPL-3.0-only)', false, true],
    ['Apache-2.0 AND MIT', false, true],
    ['MPL-2.0', true, true],
    ['MPL-2.0', false, false],
    ['MIT AND GPL-3.0-only', true, false],
    ['AGPL-3.0-only', true, false],
    ['SEE LICENSE IN LICENSE', false, false],
  ])('with the licence %s (for development: %s) may be used: %s', (license, dev, allowed) => {
    expect(faults({ license, dev })).toHaveLength(allowed ? 0 : 1);
  });

  test('without a licence may not be used', () => {
    expect(faults({ license: '' })).toEqual([expect.stringContaining('pad: its licence')]);
  });

  test('with an install script has to be explained and decided', () => {
    const entry = { hasInstallScript: true };
    expect(faults(entry)).toEqual([
      expect.stringContaining('pad has an install script: say why'),
      expect.stringContaining('pad has an install script: decide'),
    ]);
    expect(faults(entry, ['pad'], { pad: false })).toEqual([]);
    expect(faults({}, ['pad'])).toEqual([expect.stringContaining('no install script any more')]);
  });
});

test('this project passes its own check', () => {
  expect(() => execFileSync(process.execPath, ['scripts/check-supply.mjs'], { stdio: 'pipe' })).not.toThrow();
});

test('the bill of materials names each package of an installation', () => {
  const path = join(folder(), 'sbom.json');
  execFileSync(process.execPath, ['scripts/sbom.mjs', path], { stdio: 'pipe' });
  const bill = JSON.parse(readFileSync(path, 'utf8')) as {
    bomFormat: string;
    metadata: { component: { name: string } };
    components: { name: string; version: string }[];
  };
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.metadata.component.name).toBe('ollama-sidecar');
  const named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Entry & { optional?: boolean }>;
  };
  const missing = Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
    .filter((one) => !named.has(one));
  expect(missing).toEqual([]);
});
