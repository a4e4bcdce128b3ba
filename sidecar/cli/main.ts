#!/usr/bin/env node
/**
 * The command line's entry: loads the program, one file beside this one, together with what an earlier start of the same
 * command compiled of it. It imports nothing of the program itself.
 */
import { fileURLToPath } from 'node:url';
import { loadWithCodeCache } from './code-cache.ts';
import type * as CommandLine from './command-line.ts';

/** A hash of the program, put in by the build (scripts/build.mjs). */
declare const PROGRAM_HASH: string;

const program = loadWithCodeCache({
  file: fileURLToPath(new URL('./program.cjs', import.meta.url)),
  hash: PROGRAM_HASH,
  command: process.argv[2],
}) as typeof CommandLine;
await program.runCommandLine(process.argv);
