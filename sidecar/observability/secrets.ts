/**
 * Masks the secrets that this process knows in whatever leaves it: results, events, logs, session folders.
 * Their base64, URL-encoded and JSON forms are masked too, also inside a longer encoded text.
 */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isSecretName } from '../values/secret-name.ts';

const MASK = '****';
/** Shorter values are often plain words, and masking them would make texts unreadable. */
const MIN_SECRET_CHARS = 8;
/** Tokens that are recognised by their form. */
const WELL_KNOWN =
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255}|glpat-[A-Za-z0-9_-]{20,64}|xox[abprs]-[A-Za-z0-9-]{10,200}|AKIA[A-Z0-9]{16}|sk-[A-Za-z0-9_-]{32,200})\b|-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]{0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----/gu;

export interface SecretMasker {
  /** Adds a value to mask from now on. */
  add(secret: string | undefined): void;
  mask(text: string): string;
  /** Masks every string inside a JSON-like value; the value itself is not changed. */
  maskDeep<T>(value: T): T;
}

/** A masker that knows `secrets` and the secrets among the environment's variables. */
export function createSecretMasker(
  secrets: readonly (string | undefined)[] = [],
  env: NodeJS.ProcessEnv = process.env,
): SecretMasker {
  const forms = new Set<string>();
  let pattern: RegExp | undefined;
  const add = (secret: string | undefined) => {
    const value = secret?.trim();
    if (!value || value.length < MIN_SECRET_CHARS) return;
    for (const form of formsOf(value)) forms.add(form);
    pattern = new RegExp(
      [...forms]
        .sort((a, b) => b.length - a.length)
        .map(escapeRegExp)
        .join('|'),
      'gu',
    );
  };
  for (const secret of secrets) add(secret);
  for (const value of secretValues(env)) add(value);
  const mask = (text: string) => {
    const known = pattern ? text.replace(pattern, MASK) : text;
    return known.replace(WELL_KNOWN, MASK);
  };
  return { add, mask, maskDeep: (value) => maskDeep(value, mask) };
}

/** Returns the secrets among variables. A path of this machine is none: it says where something is, and work is full of it. */
export const secretValues = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(env).flatMap(([name, value = '']) => {
    const path = value.trim();
    return isSecretName(name) && !(isAbsolute(path) && existsSync(path)) ? [value] : [];
  });

function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret), ...base64Forms(secret)];
}

/** The secret's base64 text at each of the three places it can have in a longer text; the ends, which depend on the neighbours, are left out. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/u, '');
    const start = Math.ceil((offset * 8) / 6);
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(start, whole);
  });
  return forms
    .filter((form) => form.length >= MIN_SECRET_CHARS)
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');

function maskDeep<T>(value: T, mask: (text: string) => string): T {
  if (typeof value === 'string') return mask(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => maskDeep(item, mask)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [key, maskDeep(inner, mask)]),
  ) as T;
}
