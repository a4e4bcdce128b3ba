/**
 * How fast each model's server reads a prompt, learned from its own counts and kept between runs in one small file of the
 * state folder. Losing it costs nothing but a cautious first brief, so nothing here throws; the file is replaced whole.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { isRecord, parseJson } from '../values/json.ts';

export interface PrefillRates {
  /** Tokens a second; undefined while nothing was learned. */
  rateOf(model: string): number | undefined;
  /** Takes up the cost of one call of the model. Counts that say nothing (a cached prompt, a very short one) are ignored. */
  learn(model: string, call: ReadPrompt): void;
  /** Resolves when the rates are on disk, or could not be written. */
  settled(): Promise<void>;
}

export interface ReadPrompt {
  promptTokens: number;
  /** Those of them that cannot have been cached; the server read at least these. Default: all. */
  freshTokens?: number;
  promptEvalNs: number;
}

/** Shorter prompts measure the start of the call. */
const MIN_PROMPT_TOKENS = 64;
const MIN_RATE = 1;
const MAX_RATE = 1_000_000;
/** How much the newest call counts: a machine that gets busy must be seen within a few calls. */
const NEW_SHARE = 0.3;
const MAX_MODELS = 200;
const MAX_NAME_CHARS = 256;

/** Reads `path` once. Without a path the rates live as long as this object. */
export async function openPrefillRates(path?: string): Promise<PrefillRates> {
  const rates = path === undefined ? new Map<string, number>() : await readRates(path);
  let writing: Promise<void> = Promise.resolve();
  let waiting = false;
  const save = () => {
    if (path === undefined || waiting) return;
    waiting = true;
    writing = writing.then(() => {
      waiting = false;
      return writeRates(path, rates);
    });
  };
  return {
    rateOf: (model) => rates.get(model),
    learn(model, call) {
      const before = rates.get(model);
      const rate = shownBy(call, before);
      if (rate === undefined || model.length > MAX_NAME_CHARS) return;
      const next = before === undefined ? rate : before * (1 - NEW_SHARE) + rate * NEW_SHARE;
      // The newest at the end: the oldest goes when there are too many.
      rates.delete(model);
      rates.set(model, Math.round(next * 10) / 10);
      for (const oldest of rates.keys()) {
        if (rates.size <= MAX_MODELS) break;
        rates.delete(oldest);
      }
      save();
    },
    settled: () => writing,
  };
}

/**
 * The rate that a call shows: between that of its fresh tokens and that of all, for what was cached is not known. Undefined
 * where it says nothing, or nothing that the rate so far does not say.
 */
function shownBy(
  { promptTokens, freshTokens = promptTokens, promptEvalNs }: ReadPrompt,
  before: number | undefined,
): number | undefined {
  const seconds = promptEvalNs / 1e9;
  const [least, most] = [freshTokens / seconds, promptTokens / seconds];
  const rate = before === undefined ? least : Math.min(Math.max(before, least), most);
  const known = before === undefined || rate > before ? freshTokens : promptTokens;
  if (known < MIN_PROMPT_TOKENS || !(rate >= MIN_RATE && rate <= MAX_RATE)) return undefined;
  return rate === before && freshTokens < promptTokens ? undefined : rate;
}

async function readRates(path: string): Promise<Map<string, number>> {
  // A file that is not there or cannot be read has taught nothing.
  const content = parseJson(await readFile(path, 'utf8').catch(() => '{}'));
  const entries = isRecord(content) ? Object.entries(content) : [];
  return new Map(
    entries
      .filter(
        (entry): entry is [string, number] =>
          typeof entry[1] === 'number' && entry[1] >= MIN_RATE && entry[1] <= MAX_RATE,
      )
      .slice(-MAX_MODELS),
  );
}

async function writeRates(path: string, rates: ReadonlyMap<string, number>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, `${JSON.stringify(Object.fromEntries(rates), null, 2)}\n`, { mode: 0o600 });
    await rename(temporary, path);
  } catch {
    // A full disk: the rates stay in memory.
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
