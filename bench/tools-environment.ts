/**
 * What the execution environment costs: a command with and without sandbox against a bare `execa`, grep against
 * ripgrep by hand, and the last lines of a very large file. Times are medians of alternating runs.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { execa } from 'execa';
import { LocalExecutionEnvironment } from '../sidecar/workspace/local-environment.ts';

export interface Measurement {
  name: string;
  value: number;
  unit: string;
  target?: string;
}

const COMMAND_RUNS = 100;
const SEARCH_RUNS = 7;
const FILES = 20_000;
const LARGE_BYTES = 1024 ** 3;

export async function bench(): Promise<Measurement[]> {
  const workspace = await mkdtemp(join(tmpdir(), 'bench-environment-'));
  const plain = new LocalExecutionEnvironment({ workspace, sandbox: 'off' });
  const sandboxed = new LocalExecutionEnvironment({ workspace, sandbox: 'auto' });
  try {
    return [
      ...(await benchCommands(workspace, plain, sandboxed)),
      ...(await benchLargeFile(workspace, plain)),
      ...(await benchSearch(workspace, plain)),
    ];
  } finally {
    await plain.cleanup();
    await sandboxed.cleanup();
    await rm(workspace, { recursive: true, force: true });
  }
}

async function benchCommands(
  workspace: string,
  plain: LocalExecutionEnvironment,
  sandboxed: LocalExecutionEnvironment,
): Promise<Measurement[]> {
  await writeFile(join(workspace, 'small.txt'), 'x'.repeat(2048));
  const status = await sandboxed.readSandboxStatus();
  await plain.initialize();
  const command = 'cat small.txt';
  const times = await alternate(COMMAND_RUNS, {
    bare: () => execa(command, { shell: true, cwd: workspace }),
    plain: () => plain.execCommand(command),
    ...(status.sandboxed ? { sandboxed: () => sandboxed.execCommand(command) } : {}),
  });
  const { bare = 0, plain: off = 0, sandboxed: on } = times;
  return [
    { name: 'shell: cat of 2 KB, bare execa', value: bare, unit: 'ms' },
    { name: 'shell: cat of 2 KB, no sandbox', value: off, unit: 'ms' },
    { name: 'shell: no sandbox / bare execa', value: off / bare, unit: '×', target: '≤ 1.2' },
    ...(on === undefined
      ? []
      : [
          { name: 'shell: cat of 2 KB, sandbox', value: on, unit: 'ms' },
          { name: 'shell: sandbox − no sandbox', value: on - off, unit: 'ms', target: '≤ 6' },
        ]),
  ];
}

async function benchLargeFile(workspace: string, env: LocalExecutionEnvironment): Promise<Measurement[]> {
  const path = join(workspace, 'large.log');
  const line = `${'0123456789abcdef'.repeat(6)}abc\n`;
  const block = Buffer.from(line.repeat(10_000));
  const blocks = Math.ceil(LARGE_BYTES / block.length);
  const file = createWriteStream(path);
  for (let written = 0; written < blocks; written += 1) {
    if (!file.write(block)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  const lines = blocks * 10_000;
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const startedMs = performance.now();
  const { lineCount } = await env.readFile('large.log', { offset: lines - 9, limit: 10 });
  const tookMs = performance.now() - startedMs;
  clearInterval(sampling);
  await rm(path);
  if (lineCount !== 10) throw new Error(`10 lines were asked for, ${lineCount} came`);
  return [
    { name: 'read_file: last 10 lines of 1 GB', value: tookMs, unit: 'ms', target: '< 1000' },
    { name: 'read_file: memory for it', value: (peak - before) / 1024 ** 2, unit: 'MiB', target: '< 50' },
  ];
}

async function benchSearch(workspace: string, env: LocalExecutionEnvironment): Promise<Measurement[]> {
  for (let folder = 0; folder < 200; folder += 1) {
    const path = join(workspace, 'tree', String(folder));
    await mkdir(path, { recursive: true });
    const text = `export const value = ${folder};\n${'// some words of filling\n'.repeat(40)}`;
    const files = Array.from({ length: FILES / 200 }, (_, file) =>
      writeFile(join(path, `${file}.ts`), file % 50 === 0 ? `${text}const needle = 1;\n` : text),
    );
    await Promise.all(files);
  }
  const run = promisify(execFile);
  const times = await alternate(SEARCH_RUNS, {
    ripgrep: () => run(rgPath, ['--line-number', '--no-heading', 'needle', '.'], { cwd: workspace }),
    grep: () => env.grep('needle', { maxResults: 1000 }),
    glob: () => env.glob('**/*.ts'),
  });
  const { ripgrep = 0, grep = 0, glob = 0 } = times;
  return [
    { name: `grep: ${FILES} files, ripgrep by hand`, value: ripgrep, unit: 'ms' },
    { name: `grep: ${FILES} files`, value: grep, unit: 'ms' },
    { name: 'grep / ripgrep by hand', value: grep / ripgrep, unit: '×', target: '≤ 1.3' },
    { name: `glob: ${FILES} files`, value: glob, unit: 'ms' },
  ];
}

/** Medians in milliseconds; the subjects take turns, so that a busy moment of the machine hits them alike. */
async function alternate(
  runs: number,
  subjects: Record<string, () => Promise<unknown>>,
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= runs; round += 1) {
    for (const [name, subject] of Object.entries(subjects)) {
      const startedMs = performance.now();
      await subject();
      // The first round warms up.
      if (round > 0) (times[name] ??= []).push(performance.now() - startedMs);
    }
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}
