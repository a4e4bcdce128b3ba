#!/usr/bin/env node
/** The command line's entry: runs a command, turns expected failures into one message and an exit code. */
import { CommanderError } from 'commander';
import { CommandError, EXIT } from './exit-codes.ts';
import { buildProgram } from './program.ts';

async function main(argv: readonly string[]): Promise<void> {
  const json = argv.includes('--json');
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    if (error instanceof CommandError) {
      report(error.code, error.message, json);
      process.exitCode = error.exitCode;
      return;
    }
    report('internal_error', error instanceof Error ? (error.stack ?? error.message) : String(error), json);
    process.exitCode = EXIT.failed;
  }
}

function report(code: string, message: string, json: boolean): void {
  const line = json ? JSON.stringify({ error: { code, message } }) : `ollama-sidecar: ${message}`;
  process.stderr.write(`${line}\n`);
}

await main(process.argv);
