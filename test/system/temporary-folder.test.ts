/** Temporary folders where none can be made. */
import { expect, test } from '@jest/globals';
import { makeTemporaryFolder } from '../../sidecar/system/temporary-folder.ts';

test('a temporary folder that cannot be written is named, with what to do', () => {
  expect(() => makeTemporaryFolder('x-', '/nonexistent/folder')).toThrow(
    expect.objectContaining({
      code: 'temporary_folder',
      message: expect.stringMatching(/^The temporary folder \/nonexistent\/folder .* TMPDIR$/u),
    }),
  );
});
