#!/usr/bin/env node
/**
 * The command line's entry. Node 22.8 and newer keep what they compiled for the next start; that has to be asked for
 * before the modules are loaded, so this one loads none itself.
 */
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
// Never fails: where the folder cannot be written, nothing is kept.
enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ollama-sidecar', 'code'));

const { runCommandLine } = await import('./command-line.ts');
await runCommandLine(process.argv);
