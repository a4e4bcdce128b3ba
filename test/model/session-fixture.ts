/** A model session on a clock that the test moves, against a scripted model. */
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { ModelCatalog } from '../../sidecar/model/catalog.ts';
import type { CatalogFileInput } from '../../sidecar/model/catalog-schema.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import { ModelSession } from '../../sidecar/model/model-session.ts';
import type { ModelSessionOptions } from '../../sidecar/model/model-session.ts';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import { createTokenEstimator } from '../../sidecar/model/token-estimate.ts';
import type { ExecutionEvent } from '../../sidecar/base/protocol/events.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { say, testModel } from '../support/scripted-model.ts';

export const MODEL = 'm:1';
export const hello: ChatMessage[] = [{ role: 'user', content: 'hello' }];
export const tools = [
  { type: 'function' as const, function: { name: 'x', description: '', parameters: {} } },
];

/** Collects status texts and waits for one. */
function listen() {
  const texts: string[] = [];
  const waiting: { part: string; found: () => void }[] = [];
  return {
    texts,
    onProgress: ({ text }: ExecutionEvent) => {
      texts.push(text);
      for (const { part, found } of waiting) if (text.includes(part)) found();
    },
    until: async (part: string) => {
      if (texts.some((text) => text.includes(part))) return;
      await new Promise<void>((found) => waiting.push({ part, found }));
    },
  };
}

type Setup = Partial<ModelSessionOptions> & {
  ollama?: NonNullable<Parameters<typeof configSchema.parse>[0]> & object;
  models?: CatalogFileInput['models'];
};

/** A session with a scripted model of its own, `MODEL`; `chats` are all requests of that kind, those that only load too. */
export async function startSession(
  scenario: ScenarioInput,
  { ollama = {}, models = {}, ...more }: Setup = {},
) {
  const scripted = await testModel({ models: [{ name: MODEL }], ...scenario });
  const clock = new ManualClock();
  const events = listen();
  const session = new ModelSession({
    server: createOllamaServer({ baseUrl: scripted.url }),
    model: MODEL,
    entry: new ModelCatalog({ models: { [MODEL]: {}, ...models } }).findEntry(MODEL),
    limits: configSchema.parse({ ollama }).ollama,
    clock,
    onProgress: events.onProgress,
    random: () => 0.5,
    estimator: createTokenEstimator(),
    ...more,
  });
  const chats = () =>
    scripted.requests
      .filter(({ path }) => path === '/api/chat')
      .map(({ body }) => body as Record<string, unknown>);
  return { scripted, clock, events, session, chats };
}
/** A model that says the same each time, once the faults have worn off. */
export const always = (
  content: string,
  faults: NonNullable<ScenarioInput['turns']>[number]['faults'] = [],
): ScenarioInput => ({
  turns: [{ ...say(content), faults, repeat: 'always' }],
});
