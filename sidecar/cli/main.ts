/**
 * The command line, loaded by entry.mjs. Node 22 and newer cache compiled code in a folder of the user, so the program
 * is imported after the cache is enabled.
 */
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { findProgramFolder } from '../base/system/home-folder.ts';
import { limitYoungGeneration } from '../base/system/young-generation.ts';

/**
 * Commands that run for days, with a limited young generation of V8's heap. Other commands start faster without the
 * limit.
 */
const DAEMON_COMMANDS = ['start', 'up'];
if (DAEMON_COMMANDS.includes(process.argv[2] ?? '')) limitYoungGeneration();
// `enableCompileCache` is missing before Node 22.1. It never throws: its result reports a folder that cannot be
// written.
if ('enableCompileCache' in nodeModule) {
  (nodeModule.enableCompileCache as (folder: string) => unknown)(join(findProgramFolder('CACHE'), 'code'));
}
// This listener prevents SIGXFSZ (file too large) from ending the program, as execa's cleanup would; the writer gets an
// error instead.
process.on('SIGXFSZ', () => undefined);
const { runCommandLine } = await import('./command-line.ts');
await runCommandLine(process.argv);
