// Fails where a package runs a program at its installation that docs/dev/DEPENDENCIES.md does not explain, or has a licence
// that may not be used.
import { readFileSync } from 'node:fs';
import { faultsOf, listedScripts } from './supply.mjs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { allowScripts = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const listed = listedScripts(readFileSync('docs/dev/DEPENDENCIES.md', 'utf8'));

const faults = faultsOf(lock, { listed, decided: allowScripts });
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
