// Writes the list of all packages that are installed with the program (CycloneDX, JSON): `npm run sbom [-- FILE]`.
// npm makes it, from package-lock.json alone, so nothing has to be installed; it needs npm 10.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { packagesOf } from './supply.mjs';

const path = process.argv[2] ?? 'dist/sbom.cdx.json';
const made = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
  encoding: 'utf8',
  maxBuffer: 64 << 20,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const bill = JSON.parse(made);
// With `--omit dev` npm leaves out what development needs as well.
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const shipped = new Set(
  packagesOf(lock)
    .filter((one) => one.shipped)
    .map(({ name, version }) => `${name}@${version}`),
);
const isKept = (ref) => shipped.has(ref) || ref === bill.metadata.component['bom-ref'];
bill.components = bill.components.filter((component) => isKept(component['bom-ref']));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => isKept(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));
// npm takes the folder's name for the project's.
bill.metadata.component.name = JSON.parse(readFileSync('package.json', 'utf8')).name;
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`${path}: ${bill.components.length} packages`);
