/**
 * Runs a list of commands in a sandboxed environment and prints the results as one JSON document. It is bundled
 * into a process of its own, so that the suite of escapes can run as root and as an ordinary user.
 */
import { readFileSync } from 'node:fs';
import {
  LocalExecutionEnvironment,
  type LocalExecutionEnvironmentOptions,
} from '../../../sidecar/workspace/local-environment.ts';

export interface RunnerInput {
  options: LocalExecutionEnvironmentOptions;
  commands: { name: string; command: string; timeoutMs?: number }[];
}
export interface RunnerResult {
  name: string;
  output: string;
  exitCode: number | null;
  durationMs: number;
}

const input = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as RunnerInput;
const env = new LocalExecutionEnvironment(input.options);
const results: RunnerResult[] = [];
for (const { name, command, timeoutMs = 10_000 } of input.commands) {
  const filled = command.replaceAll('$WORKER', String(process.pid));
  const { output, exitCode, durationMs } = await env.execCommand(filled, { timeoutMs });
  results.push({ name, output, exitCode, durationMs });
}
await env.cleanup();
process.stdout.write(JSON.stringify(results));
