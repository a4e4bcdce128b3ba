/**
 * The command line, loaded by entry.mjs. Node 22 and newer keep what they compiled of the program for its next start, in a folder of
 * the user's own; the program itself is imported after that has been switched on.
 */
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { ownFolder } from '../system/home-folder.ts';

// Missing before Node 22.1. Never throws: a folder that cannot be written is reported in what it returns.
if ('enableCompileCache' in nodeModule) {
  (nodeModule.enableCompileCache as (folder: string) => unknown)(join(ownFolder('CACHE'), 'code'));
}
// A file that may not grow is an error for whoever writes it; what ends programs by this signal (execa's cleanup) gives way to a listener.
process.on('SIGXFSZ', () => undefined);
const { runCommandLine } = await import('./command-line.ts');
await runCommandLine(process.argv);
