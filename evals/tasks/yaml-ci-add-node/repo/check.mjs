import { readFileSync } from 'node:fs';

// Reads the versions of each job's matrix: enough of YAML for this file.
const text = readFileSync(new URL('.ci/pipeline.yaml', import.meta.url), 'utf8');
const versions = {};
let job;
for (const line of text.split('\n')) {
  if (line.includes('\t')) throw new Error(`a tab in: ${line}`);
  const head = /^ {2}(\w+):$/.exec(line);
  if (head) job = head[1];
  const list = /^ {8}node: \[(.*)\]$/.exec(line);
  if (list) versions[job] = list[1].split(',').map((item) => item.trim());
}

const wanted = { test: "'22'", release: "'20'" };
let failed = false;
for (const [name, version] of Object.entries(wanted)) {
  if (versions[name]?.includes(version)) continue;
  console.error(`job ${name}: expected ${version} among the versions, found ${versions[name]?.join(', ') ?? 'none'}`);
  failed = true;
}
process.exit(failed ? 1 : 0);
