/**
 * Learns how fast each model server reads a prompt, from the server's counts, and stores that between runs in one small
 * file of the state folder. Losing the file costs only a cautious first brief, so nothing here throws.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { removeCredentials } from '../base/addresses/credentials.ts';
import { isRecord, parseJson } from '../base/values/json.ts';

/** Prompt tokens of one call, and the time to read them. */
export interface PromptTiming {
  promptTokens: number;
  /** The tokens that cannot have been cached, so that the server must have read them. Default: all. */
  freshTokens?: number;
  promptEvalNs: number;
}

/** Minimum length of a measured prompt; a shorter one measures mostly the start of the call. */
const MIN_PROMPT_TOKENS = 64;
/** Minimum credible speed, in tokens per second. */
const MIN_TOKENS_PER_SECOND = 1;
/** Maximum credible speed, in tokens per second. */
const MAX_TOKENS_PER_SECOND = 1_000_000;
/** Weight of the newest call in the average, high enough to detect a busy machine within a few calls. */
const NEWEST_CALL_WEIGHT = 0.3;
/** Minimum relative change of a speed for which the file is written. */
const MIN_WRITTEN_CHANGE = 0.03;
const MAX_ENTRIES = 200;
const MAX_NAME_CHARS = 512;

export class ReadingSpeeds {
  readonly #path: string | undefined;
  /** Tokens per second by model and server, the newest last. */
  readonly #speeds: Map<string, number>;
  readonly #savedSpeeds: Map<string, number>;
  #lastWrite: Promise<void> = Promise.resolve();
  #isSaveQueued = false;

  /** Reads `path` once. Without a path the speeds live as long as this object. */
  constructor(path?: string) {
    this.#path = path;
    this.#speeds = path === undefined ? new Map() : readSpeeds(path);
    this.#savedSpeeds = new Map(this.#speeds);
  }

  /**
   * Returns the speed in tokens per second; undefined if none is known. Without `url`, returns the speed of the server
   * that was measured last.
   */
  speedOf(model: string, url?: string): number | undefined {
    if (url !== undefined) return this.#speeds.get(keyOf(model, url));
    const last = [...this.#speeds].findLast(([key]) => key.startsWith(keyOf(model, '')));
    return last?.[1];
  }

  /** Updates the speed by one call. Counts that show nothing (a cached prompt, a very short one) are ignored. */
  recordCall(model: string, url: string, call: PromptTiming): void {
    const key = keyOf(model, url);
    const previous = this.#speeds.get(key);
    const speed = measureSpeed(call, previous);
    if (speed === undefined || key.length > MAX_NAME_CHARS) return;
    const next =
      previous === undefined ? speed : previous * (1 - NEWEST_CALL_WEIGHT) + speed * NEWEST_CALL_WEIGHT;
    this.#speeds.delete(key);
    this.#speeds.set(key, Math.round(next * 10) / 10);
    for (const oldest of this.#speeds.keys()) {
      if (this.#speeds.size <= MAX_ENTRIES) break;
      this.#speeds.delete(oldest);
    }
    const savedSpeed = this.#savedSpeeds.get(key);
    if (savedSpeed === undefined || Math.abs(next - savedSpeed) > savedSpeed * MIN_WRITTEN_CHANGE)
      this.#save();
  }

  /** Resolves when the speeds are on disk, or could not be written. */
  waitUntilSaved(): Promise<void> {
    return this.#lastWrite;
  }

  #save(): void {
    const path = this.#path;
    if (path === undefined || this.#isSaveQueued) return;
    this.#isSaveQueued = true;
    this.#lastWrite = this.#lastWrite.then(() => {
      this.#isSaveQueued = false;
      for (const [key, speed] of this.#speeds) this.#savedSpeeds.set(key, speed);
      return writeSpeeds(path, this.#speeds);
    });
  }
}

/** Returns the key of a model and a server; model names contain no space. */
const keyOf = (model: string, url: string): string => `${model} ${removeCredentials(url)}`;

/**
 * Returns the speed measured by a call. It lies between the speed by fresh tokens and the speed by all tokens, since the
 * cached part is unknown. Returns undefined if the call measures nothing, or nothing new.
 */
function measureSpeed(
  { promptTokens, freshTokens = promptTokens, promptEvalNs }: PromptTiming,
  previous: number | undefined,
): number | undefined {
  const seconds = promptEvalNs / 1e9;
  const [min, max] = [freshTokens / seconds, promptTokens / seconds];
  const speed = previous === undefined ? min : Math.min(Math.max(previous, min), max);
  const provenTokens = previous === undefined || speed > previous ? freshTokens : promptTokens;
  if (provenTokens < MIN_PROMPT_TOKENS || !isCredible(speed)) return undefined;
  return speed === previous && freshTokens < promptTokens ? undefined : speed;
}

const isCredible = (speed: unknown): speed is number =>
  typeof speed === 'number' && speed >= MIN_TOKENS_PER_SECOND && speed <= MAX_TOKENS_PER_SECOND;

/** Reads the file; a missing or damaged one is empty. */
function readSpeeds(path: string): Map<string, number> {
  let content: unknown;
  try {
    content = parseJson(readFileSync(path, 'utf8'));
  } catch {
    return new Map();
  }
  const entries = isRecord(content) ? Object.entries(content) : [];
  const credible = entries.filter((entry): entry is [string, number] => isCredible(entry[1]));
  return new Map(credible.slice(-MAX_ENTRIES));
}

/** Replaces the whole file. If the disk is full, the speeds remain only in memory. */
async function writeSpeeds(path: string, speeds: ReadonlyMap<string, number>): Promise<void> {
  const temporaryPath = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporaryPath, `${JSON.stringify(Object.fromEntries(speeds), null, 2)}\n`, {
      mode: 0o600,
    });
    await rename(temporaryPath, path);
  } catch {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
  }
}
