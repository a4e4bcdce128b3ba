/** A worker on a machine where bubblewrap does not work. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { build } from 'esbuild';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

/** What the worker says of its sandbox, in a process that finds no bubblewrap that works. */
async function label(url: string, unconfined: string): Promise<string> {
  const dir = folder();
  mkdirSync(join(dir, 'bin'));
  const bwrap = join(dir, 'bin/bwrap');
  await execa('sh', ['-c', `printf '#!/bin/sh\\nexit 1\\n' > ${bwrap} && chmod +x ${bwrap}`]);
  const outfile = join(dir, 'label.mjs');
  await build({
    stdin: {
      contents: `import { sandboxLabel } from './sidecar/worker/identity.ts';
        sandboxLabel({ sandbox: { mode: 'auto', unconfined: '${unconfined}' }, hub: { url: '${url}' } })
          .then(console.log, ({ code, message }) => console.log(code + ' ' + message));`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  const env = { PATH: `${join(dir, 'bin')}:${process.env.PATH ?? ''}` };
  return (await execa(process.execPath, [outfile], { env })).stdout;
}

test('works for a hub on this machine, and says that commands are not confined', async () => {
  expect(await label('ws://127.0.0.1:4600/ws', 'refuse')).toMatch(/^none: bubblewrap does not work/u);
});

test('does not start for a hub on another machine, unless that is allowed', async () => {
  expect(await label('wss://hub.example/ws', 'refuse')).toMatch(
    /^sandbox_unavailable the hub is on another machine and commands would not be confined/u,
  );
  expect(await label('wss://hub.example/ws', 'allow')).toMatch(/^none: /u);
});
