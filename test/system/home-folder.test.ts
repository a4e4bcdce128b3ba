import { isAbsolute } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { homeFolder } from '../../sidecar/system/home-folder.ts';

const { HOME } = process.env;
afterEach(() => {
  process.env.HOME = HOME;
});

test('an empty HOME does not put everything into the folder that one is in', () => {
  process.env.HOME = '';
  expect(isAbsolute(homeFolder())).toBe(true);
});
