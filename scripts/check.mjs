// `npm run check`: all scripts of package.json named `check:…`, as many side by side as there are cores, in their order. Prints
// what each says when it has ended, and fails where one does.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { execa } from 'execa';
import PQueue from 'p-queue';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const queue = new PQueue({ concurrency: availableParallelism() });
await queue.addAll(checks.map((name) => () => run(name)));

async function run(name) {
  const { all, failed, durationMs } = await execa('npm', ['run', '--silent', name], {
    all: true,
    reject: false,
  });
  console.log(`${failed ? 'FAILED' : 'ok'}  ${name} (${(durationMs / 1000).toFixed(1)} s)`);
  if (!failed) return;
  console.log(all);
  process.exitCode = 1;
}
