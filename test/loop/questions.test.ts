import { expect, test } from '@jest/globals';
import type { AskPerson } from '../../sidecar/ports.ts';
import { DyingJournal } from '../support/dying-journal.ts';
import { live } from '../support/lives.ts';
import { json, say, scenario } from '../support/scripted-model.ts';

test('what a person answered is in the journal: a task that goes on is told the same and does not ask again', async () => {
  const asked: string[] = [];
  const lifeWith = (answer: string, journal: DyingJournal) => {
    const askPerson: AskPerson = ({ summary }) => {
      asked.push(summary);
      return Promise.resolve({ ok: true, decision: 'corrected', text: answer });
    };
    const turns = [
      json({ request_approval: 'Tabs or spaces?' }),
      json({ request_approval: 'How many?' }),
      say('Told: {{lastMessage}}'),
    ];
    const config = { model: { toolMode: 'structured' as const }, approval: { question: 'hub' as const } };
    return live(scenario(turns), journal, { config, deps: { askPerson } });
  };
  const whole = new DyingJournal();
  await lifeWith('two', whole);
  expect(asked.splice(0)).toEqual(['Tabs or spaces?', 'How many?']);
  // The last answer of the model is lost.
  const journal = new DyingJournal({ append: whole.appends, written: false });
  expect((await lifeWith('two', journal)).result).toBeUndefined();
  expect(asked.splice(0)).toEqual(['Tabs or spaces?', 'How many?']);
  const { result } = await lifeWith('four', new DyingJournal(undefined, journal));
  expect(result?.output).toContain('two');
  expect(asked).toEqual([]);
});
