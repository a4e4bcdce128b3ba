/** The admin token's file, and who is shown the token. */
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';
import { adminTokenFile, dashboardLines, keptAdminToken } from '../../sidecar/cli/admin-token.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

describe('the kept admin token', () => {
  test('is made once, for this user only', async () => {
    const dir = folder();
    const token = await keptAdminToken(dir);
    chmodSync(adminTokenFile(dir), 0o644);
    expect(await keptAdminToken(dir)).toBe(token);
    expect(statSync(adminTokenFile(dir)).mode & 0o777).toBe(0o600);
  });

  test.each(['', '\n', 'osc_admin_', 'two words of a text that is long enough', '\u0000'.repeat(60)])(
    'is refused when it is damaged: %j',
    async (text) => {
      const dir = folder();
      writeFileSync(adminTokenFile(dir), text);
      await expect(keptAdminToken(dir)).rejects.toMatchObject({ code: 'admin_token_damaged', exitCode: 6 });
      expect(readFileSync(adminTokenFile(dir), 'utf8')).toBe(text);
      rmSync(adminTokenFile(dir));
      expect(await keptAdminToken(dir)).toMatch(/^osc_admin_/u);
    },
  );
});

test('only a person at a terminal is shown it', () => {
  const facts = { url: 'http://h', adminToken: 'osc_admin_secret', tokenFile: '/state/hub-admin.token' };
  const color = pc.createColors(false);
  expect(dashboardLines({ interactive: true, color }, facts).join('\n')).toContain('#token=osc_admin_secret');
  const printed = dashboardLines({ interactive: false, color }, facts).join('\n');
  expect(printed).not.toContain('osc_admin_secret');
  expect(printed).toContain('/state/hub-admin.token');
});
