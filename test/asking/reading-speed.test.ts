import { describe, expect, test } from '@jest/globals';
import { openPrefillRates } from '../../sidecar/brief/prefill-rates.ts';
import { SentPrompts } from '../../sidecar/asking/sent-prompts.ts';
import { call, say, scenario, testModel } from '../support/scripted-model.ts';
import { execute } from '../support/scripted-run.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

test('how fast a server reads is learned in the loop, where no drafts are made', async () => {
  const speed = { promptTokensPerSecond: 5_000, tokensPerSecond: 40 };
  const turns = [call('list_directory'), call('write_file', { file_path: 'a', content: 'x' }), say('done')];
  const server = await testModel(scenario(turns, { speed }));
  const prefillRates = await openPrefillRates();
  await execute({ server, dir: folder(), deps: { prefillRates } });
  expect(Math.round(prefillRates.rateOf('m') ?? 0)).toBe(5_000);
});

describe('what of a prompt is new to the server', () => {
  const request = (...texts: string[]) => ({
    messages: texts.map((content) => ({ role: 'user' as const, content })),
  });
  const long = 'a'.repeat(900);

  test('all of the first, the rest of one that goes on, nothing of the same', () => {
    const sent = new SentPrompts();
    expect(sent.add(request(long))).toBe(1);
    expect(sent.add(request(long, 'b'.repeat(900)))).toBeCloseTo(0.5, 1);
    expect(sent.add(request(long))).toBeLessThan(0.01);
    expect(sent.add(request('c', long))).toBeGreaterThan(0.9);
  });
});
