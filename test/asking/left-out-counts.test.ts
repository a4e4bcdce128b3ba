/** A server, or a proxy in front of it, that leaves out how many tokens it read and wrote. */
import { expect, test } from '@jest/globals';
import { CostLedger } from '../../sidecar/ledger/cost-ledger.ts';
import { call, chatsOf, say, scenario, testModel } from '../support/scripted-model.ts';
import { execute } from '../support/scripted-run.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

const leftOut = { tokensIn: 0, tokensOut: 0 };
const round = (n: number) => ({
  ...call('shell', { command: `echo ${'word '.repeat(300)}${n} > f` }),
  ...leftOut,
});

test('its tokens are estimated: budget, ledger, result and events count them, and the result says so', async () => {
  const turns = [...Array.from({ length: 14 }, (_value, n) => round(n)), { ...say('Done.'), ...leftOut }];
  const server = await testModel(scenario(turns));
  const ledger = new CostLedger();
  const { result, events } = await execute({
    server,
    dir: folder(),
    deps: { ledger },
    task: { budget: { max_tokens: 9_000 } },
  });
  expect(result.termination_reason).toBe('budget_exhausted');
  expect(chatsOf(server).length).toBeLessThan(6);
  const used = result.tokens_in + result.tokens_out;
  expect(used).toBeGreaterThan(5_000);
  expect(used).toBeLessThanOrEqual(9_500);
  expect(result.tokens_out).toBeGreaterThan(1_000);
  expect(ledger.taskTotals('t1')).toMatchObject({ tokensIn: result.tokens_in, tokensOut: result.tokens_out });
  expect(result.tokens_estimated).toBe(true);
  expect(events.filter(({ text }) => text.includes('tokens are estimated'))).toHaveLength(1);
  const calls = events.flatMap(({ model_call: one }) => (one?.kind === 'answer' ? [one] : []));
  const ended = calls.filter(({ phase }) => phase === 'finished');
  expect(ended.reduce((sum, one) => sum + (one.tokens_in ?? 0) + (one.tokens_out ?? 0), 0)).toBe(used);
});

test('tokens that a server counts are not called estimates', async () => {
  const server = await testModel(scenario([say('Done.')]));
  const { result } = await execute({ server, dir: folder() });
  expect(result).not.toHaveProperty('tokens_estimated');
});
