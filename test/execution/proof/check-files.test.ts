import { describe, expect, test } from '@jest/globals';
import { findCheckFiles } from '../../../sidecar/execution/proof/check-files.ts';

describe('what shell tests run', () => {
  const found = async (files: Record<string, string>, command = 'sh test.sh'): Promise<string[]> => {
    const { files: loaded } = await findCheckFiles({
      commands: [command],
      changed: Object.keys(files).filter((path) => path !== 'test.sh'),
      base: { read: (path: string) => Promise.resolve(files[path]) },
      baseFiles: new Set(Object.keys(files)),
      isPermitted: () => false,
    });
    return loaded.map(({ path }) => path);
  };

  test('is what they test', async () => {
    const runs = '# Tests of link.sh\nsh link.sh list\n./bin/link list\n';
    expect(await found({ 'test.sh': runs, 'link.sh': '', 'bin/link': '' })).toEqual([]);
  });

  test.each(['. ./lib.sh', 'source lib.sh', '. "$here/lib.sh"', 'cd x && . "${here}/lib.sh"'])(
    'but what they source is a part of them: %s',
    async (line) =>
      expect(await found({ 'test.sh': `#!/bin/sh\n${line}\n`, 'lib.sh': '' })).toEqual(['lib.sh']),
  );

  test('so is what is named as a script of checks', async () => {
    const scripts = ['scripts/setup.sh', 'assert.sh', 'run-all.sh', 'helpers.sh', 'cases.sh'];
    const runs = scripts.map((path) => `sh ${path}\n`).join('');
    const files = Object.fromEntries(scripts.map((path) => [path, '']));
    expect(await found({ 'test.sh': runs, ...files })).toEqual(scripts);
  });

  test('so is what a package says that it runs', async () => {
    const scripts = { 'package.json': '{"scripts":{"test":"sh prepare.sh"}}', 'prepare.sh': '' };
    expect(await found({ 'test.sh': 'npm test\n', ...scripts })).toContain('prepare.sh');
  });

  test('what a script runs that is no test belongs to the checks', async () =>
    expect(await found({ 'ci.sh': 'sh prepare.sh\nsh test.sh\n', 'prepare.sh': '' }, 'sh ci.sh')).toEqual([
      'ci.sh',
      'prepare.sh',
    ]));
});
