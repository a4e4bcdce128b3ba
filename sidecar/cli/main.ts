/**
 * The command line, loaded by entry.mjs. Node 22 and newer cache compiled code in a folder of the user, so the program
 * is imported after the cache is enabled.
 */
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { findProgramFolder } from '../base/system/home-folder.ts';
import { limitYoungGeneration } from '../base/system/young-generation.ts';

/** Commands that run for days. Others start faster with a larger young generation of V8's heap. */
const DAEMONS = ['start', 'up'];
if (DAEMONS.includes(process.argv[2] ?? '')) limitYoungGeneration();
// Missing before Node 22.1. Never throws: its result reports a folder that cannot be written.
if ('enableCompileCache' in nodeModule) {
  (nodeModule.enableCompileCache as (folder: string) => unknown)(join(findProgramFolder('CACHE'), 'code'));
}
// A listener stops SIGXFSZ from ending the program (execa's cleanup would); the writer gets the error of the full file.
process.on('SIGXFSZ', () => undefined);
const { runCommandLine } = await import('./command-line.ts');
await runCommandLine(process.argv);
