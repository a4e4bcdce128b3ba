import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import { startWorker } from '../../sidecar/worker/worker.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

test('a worker whose settings name a tool that is not there does not start', async () => {
  const stateDir = join(folder(), 'state');
  const config = configSchema.parse({
    tools: { disabled: ['shel'] },
    worker: { stateDir },
    hub: { url: 'ws://127.0.0.1:9/ws', agentId: 'a', token: 't' },
  });
  expect(await startWorker({ config, logger: silentLogger })).toEqual({
    ok: false,
    failure: {
      code: 'config_invalid',
      message: expect.stringContaining('tools.disabled: there is no tool shel; there are read_file'),
    },
  });
  expect(existsSync(stateDir)).toBe(false);
});
