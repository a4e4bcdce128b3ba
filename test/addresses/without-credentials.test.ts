/** Addresses as they may be shown. */
import { expect, test } from '@jest/globals';
import { withoutCredentials } from '../../sidecar/addresses/without-credentials.ts';

test('an address is shown without user and password, whatever characters those have', () => {
  const shown = (address: string) => withoutCredentials(address);
  expect(shown('https://me:token@host/a.git')).toBe('https://host/a.git');
  expect(shown('https://me:p@ss@host/a.git')).toBe('https://host/a.git');
  expect(shown('ssh://git@host:22/a.git')).toBe('ssh://host:22/a.git');
  for (const plain of ['/srv/a@b.git', 'https://host/a@b', 'https://host?to=a@b', 'git@host:a.git']) {
    expect(shown(plain)).toBe(plain);
  }
});
