/** A long task in a small window: 200 rounds of `cat`, with compaction on the way, and what the prefix cache keeps. */
import { chatsOf, gapsOf, openLab, openSession } from './support/lab.ts';
import { quantile, type Figure } from './support/measure.ts';

const ROUNDS = 200;

export async function bench(): Promise<Figure[]> {
  return [...(await measure(8_192)), ...(await measure(32_768))];
}

async function measure(windowTokens: number): Promise<Figure[]> {
  const lab = await openLab({ rounds: ROUNDS, contextLength: windowTokens });
  try {
    const session = await openSession(lab, { sandbox: 'off', maxContextTokens: windowTokens });
    const { exchanges } = await session.run(lab.repos);
    await session.child.end();
    const chats = chatsOf(exchanges);
    const later = chats.slice(1).map(({ chat }) => chat);
    const isBroken = ({ extendsBefore = 0 }: (typeof later)[number]) => extendsBefore < 1;
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    // A server with a prefix cache reads again what does not begin like the prompt before.
    const prefilled = later.map(({ promptTokens, extendsBefore = 0 }, index) => {
      const before = chats[index]?.chat.promptTokens ?? 0;
      return promptTokens - Math.min(promptTokens, before * extendsBefore);
    });
    const name = `window: ${ROUNDS} rounds in ${windowTokens / 1024}k`;
    const gaps = gapsOf(chats);
    return [
      { name: `${name}, requests that break the prefix`, value: later.filter(isBroken).length, unit: '' },
      {
        name: `${name}, tokens sent`,
        value: sum(chats.map(({ chat }) => chat.promptTokens)),
        unit: 'tokens',
      },
      {
        name: `${name}, tokens that a prefix cache cannot answer`,
        value: sum(prefilled) + (chats[0]?.chat.promptTokens ?? 0),
        unit: 'tokens',
      },
      { name: `${name}, one round, median`, value: quantile(gaps, 0.5), unit: 'ms' },
      { name: `${name}, one round, p95`, value: quantile(gaps, 0.95), unit: 'ms' },
    ];
  } finally {
    await lab.close();
  }
}
