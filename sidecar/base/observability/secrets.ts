/**
 * Masks this process's secrets in all data that leaves the process: results, events, logs, session folders. Also masks the secrets' base64,
 * URL-encoded and JSON forms, even inside a longer encoded text.
 */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isSecretName } from '../values/secret-name.ts';

const MASK = '****';
/** Minimum length of a masked secret. Shorter values are often plain words, whose masking would make texts unreadable. */
const MIN_SECRET_CHARS = 8;
/** Matches tokens that are recognized by their format. */
const TOKEN_FORMATS =
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255}|glpat-[A-Za-z0-9_-]{20,64}|xox[abprs]-[A-Za-z0-9-]{10,200}|AKIA[A-Z0-9]{16}|sk-[A-Za-z0-9_-]{32,200})\b|-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]{0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----/gu;

export interface SecretMasker {
  /** Adds a secret to mask. */
  add(secret: string | undefined): void;
  mask(text: string): string;
  /** Returns a copy of a JSON-like value with all strings masked. */
  maskDeep<T>(value: T): T;
}

/** Creates a masker of `secrets` and of the secrets in environment variables. */
export function createSecretMasker(
  secrets: readonly (string | undefined)[] = [],
  env: NodeJS.ProcessEnv = process.env,
): SecretMasker {
  const forms = new Set<string>();
  let pattern: RegExp | undefined;
  const add = (secret: string | undefined) => {
    const value = secret?.trim();
    if (!value || value.length < MIN_SECRET_CHARS) return;
    for (const form of encodedFormsOf(value)) forms.add(form);
    pattern = new RegExp(
      [...forms]
        .sort((a, b) => b.length - a.length)
        .map(escapeRegExp)
        .join('|'),
      'gu',
    );
  };
  for (const secret of secrets) add(secret);
  for (const value of listSecretValues(env)) add(value);
  const mask = (text: string) => {
    const masked = pattern ? text.replace(pattern, MASK) : text;
    return masked.replace(TOKEN_FORMATS, MASK);
  };
  return { add, mask, maskDeep: (value) => maskDeep(value, mask) };
}

/** Returns the values of variables with secret names. Leaves out paths that exist, because texts often contain them. */
export const listSecretValues = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(env).flatMap(([name, value = '']) => {
    const path = value.trim();
    return isSecretName(name) && !(isAbsolute(path) && existsSync(path)) ? [value] : [];
  });

function encodedFormsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret), ...base64FormsOf(secret)];
}

/**
 * Returns the base64 forms of a secret at the three possible offsets in a longer text, without the characters at both ends that depend on
 * neighbouring bytes.
 */
function base64FormsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/u, '');
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(start, end);
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
