/** `top` on a terminal: drawn again and again until a person leaves it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { testHub } from '../../hub/hub-fixture.ts';
import { describeWith } from '../../support/requirements.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();

describeWith('pseudo-terminals', 'top on a terminal', () => {
  test('says how to leave it, and is left so', async () => {
    const { hub } = await testHub();
    const command = `stty columns 100 rows 40; exec ${process.execPath} ${resolve('dist/cli.js')} top`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: {
        ...process.env,
        HOME: folder(),
        TERM: 'xterm',
        SIDECAR_HUB_API: hub.url,
        SIDECAR_HUB_API_TOKEN: hub.tokens.admin,
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    try {
      let shown = '';
      await new Promise<void>((told) =>
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          shown += text;
          if (shown.includes('q quits')) told();
        }),
      );
      child.stdin.write('q');
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
