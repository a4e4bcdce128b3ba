import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { EvaluationSettings, ModelSummary } from '../../sidecar/evaluate/summary.ts';
import { writeProfiles, type Candidate } from '../../sidecar/evaluate/write-profile.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const candidate = (solved: number, seconds: number, settings: Partial<EvaluationSettings>): Candidate => ({
  settings: {
    suite: '',
    models: ['m'],
    runs: 1,
    set: {},
    timeoutSeconds: 1,
    program: '',
    startedAt: '',
    ...settings,
  },
  summary: { model: 'm', solved: { mean: solved }, seconds: { mean: seconds } } as ModelSummary,
});

test('writes the settings that solved most, and leaves all else of the file as it is', async () => {
  const file = join(folder(), 'config/models.json');
  await mkdir(join(file, '..'));
  const own = { models: { other: { keepAlive: '1h' }, m: { keepAlive: '5m', solving: { repairs: 1 } } } };
  await writeFile(file, JSON.stringify(own));
  const written = await writeProfiles(
    [
      candidate(0.4, 10, { strategy: 'loop' }),
      candidate(0.6, 30, {
        strategy: 'drafts',
        set: { 'solving.drafts': '8', 'model.toolMode': 'structured' },
      }),
      candidate(0.6, 40, { strategy: 'auto' }),
      candidate(0.9, 1, { harness: 'other' }),
    ],
    file,
  );
  expect(written).toMatchObject([{ model: 'm', solved: 0.6, candidates: 3 }]);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    models: {
      other: { keepAlive: '1h' },
      m: { keepAlive: '5m', toolMode: 'structured', solving: { repairs: 1, strategy: 'drafts', drafts: 8 } },
    },
  });
});

test('writes nothing where the defaults were best, and refuses what the catalogue would', async () => {
  const file = join(folder(), 'models.json');
  expect(await writeProfiles([candidate(0.5, 1, {})], file)).toMatchObject([{ keys: {} }]);
  expect(existsSync(file)).toBe(false);
  const wrong = candidate(1, 1, { set: { 'solving.drafts': 'many' } });
  await expect(writeProfiles([wrong], file)).rejects.toMatchObject({ code: 'catalog_invalid' });
  expect(existsSync(file)).toBe(false);
});
