/**
 * `npm run bench -- reliability --model NAME`: how often a model of the configured Ollama calls a tool in a valid way,
 * in each of the three modes and by the layer of the parser that read it. One question with one right tool, 100 times
 * (`BENCH_CALLS`) with other arguments. Against a scripted model it proves only that the bench works, and says so.
 */
import { Conversation } from '../sidecar/solving/model-calls/conversation.ts';
import { normalizeOllamaUrl } from '../sidecar/base/addresses/ollama-url.ts';
import { isScriptedVersion } from '../sidecar/model/scripted/models.ts';
import { startScriptedModel } from '../sidecar/model/scripted/server.ts';
import { systemClock } from '../sidecar/base/system/clock.ts';
import { configSchema } from '../sidecar/base/config/schema.ts';
import { ModelCatalog } from '../sidecar/model/catalog.ts';
import { ModelSession } from '../sidecar/model/model-session.ts';
import { createOllamaServer } from '../sidecar/model/ollama-server.ts';
import { parseToolCalls } from '../sidecar/parsing/answers/parse-answer.ts';
import type { ParsedAnswer } from '../sidecar/parsing/answers/parsed-answer.ts';
import { createToolRegistry } from '../sidecar/tools/registry.ts';
import type { Figure } from './support/measure.ts';
import { createTokenEstimator } from '../sidecar/model/token-estimate.ts';

const CALLS = Number(process.env.BENCH_CALLS ?? 100);
const MODES = ['native', 'structured', 'text'] as const;
type Mode = (typeof MODES)[number];
const TARGETS: Record<Mode, string> = { native: '≥ 95', structured: '≥ 99', text: '≥ 95' };

export async function bench(): Promise<Figure[]> {
  const named = process.env.BENCH_MODEL;
  const given = process.env.BENCH_OLLAMA ?? process.env.OLLAMA_HOST;
  const own = named === undefined ? await startScriptedModel({ scenario: rehearsal() }) : undefined;
  const url = own?.url ?? normalizeOllamaUrl(given ?? configSchema.parse({}).ollama.url);
  try {
    return await measureAll(url, named ?? 'scripted:latest');
  } finally {
    await own?.close();
  }
}

async function measureAll(url: string, model: string): Promise<Figure[]> {
  const server = createOllamaServer({ baseUrl: url });
  const version = await server.version();
  if (!version.ok) throw new Error(`${version.failure.message}. Name the server with --ollama-url.`);
  const note = isScriptedVersion(version.value)
    ? 'a scripted model: this proves that the bench works, nothing about a model'
    : `${model} on Ollama ${version.value}`;
  const figures: Figure[] = [];
  for (const mode of MODES) figures.push(...(await measureMode(url, model, mode, note)));
  return figures;
}

async function measureMode(url: string, model: string, mode: Mode, note: string): Promise<Figure[]> {
  const session = new ModelSession({
    estimator: createTokenEstimator(),
    server: createOllamaServer({ baseUrl: url }),
    model,
    entry: new ModelCatalog().findEntry(model),
    limits: configSchema.parse({}).ollama,
    toolMode: mode,
    clock: systemClock,
  });
  const verdicts = new Map<string, number>();
  for (let call = 1; call <= CALLS; call += 1) {
    const verdict = await askOnce(session, mode, call);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  }
  const valid = [...verdicts].filter(([verdict]) => verdict.startsWith('layer '));
  const share = (count: number) => (count / CALLS) * 100;
  const total = valid.reduce((sum, [, count]) => sum + count, 0);
  return [
    {
      name: `reliability: ${mode}, valid calls`,
      value: share(total),
      unit: '%',
      target: TARGETS[mode],
      note,
    },
    ...[...verdicts].map(([verdict, count]) => ({
      name: `reliability: ${mode}, ${verdict}`,
      value: share(count),
      unit: '%',
    })),
  ];
}

/** `layer …` for a valid call of the right tool with the right argument, else what was wrong. */
async function askOnce(session: ModelSession, mode: Mode, call: number): Promise<string> {
  const path = `src/module-${call}.ts`;
  const definitions = createToolRegistry().definitions();
  const conversation = new Conversation(
    { mode, definitions },
    `Read the file ${path} and tell me what it exports.`,
  );
  const asked = await session.ask({ ...conversation.request, purpose: 'agentic' });
  if (!asked.ok) return `failed: ${asked.failure.code}`;
  return verdictOf(parseToolCalls(asked.value.message, { tools: definitions, mode }), path);
}

function verdictOf(parsed: ParsedAnswer, path: string): string {
  if (parsed.type !== 'tool_calls') return parsed.type;
  const registry = createToolRegistry();
  const args = parsed.calls.map(({ arguments: given }) => JSON.stringify(given));
  if (parsed.calls.some(({ name }) => registry.get(name) === undefined)) return 'unknown tool';
  if (!args.some((text) => text.includes(path))) return 'another file';
  return `layer ${parsed.layer}`;
}

/** What the bench rehearses with when no model is named. */
const rehearsal = () => ({
  turns: [
    {
      reply: {
        tool_calls: [{ name: 'read_file', arguments: { file_path: '{{firstUser|src/module-\\d+\\.ts}}' } }],
      },
      repeat: 'always' as const,
    },
  ],
});
