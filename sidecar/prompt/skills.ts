/**
 * Skills: Markdown cards that say how one kind of work is done, by the user or in a repository. A card begins with the words
 * that call for it, and a description for people; the cards that fit a task best stand in its first message. What cannot be
 * read as a card is left out: it never fails a task.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { ExecutionEnvironment } from '../ports.ts';
import { criterionText, type Task } from '../protocol/task.ts';
import { MAX_GUIDANCE_BYTES, readUserFile, readWorkspaceFile } from './guidance-file.ts';

/** Cards in one message: a small model follows two, and reads every one. */
const MAX_SKILLS = 2;
const MAX_CARDS_A_FOLDER = 200;
const MAX_TRIGGERS = 50;
const FOLDER = 'skills';
/** File of a card that is a folder, for there are files beside it. */
const CARD_FILE = 'SKILL.md';
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/u;

export interface Skill {
  name: string;
  /** Words or short phrases of tasks that need it. */
  triggers: readonly string[];
  text: string;
}

const phrase = z.string().trim().min(1).max(80);
const headSchema = z.object({
  name: phrase.optional(),
  triggers: z
    .union([z.array(phrase).max(MAX_TRIGGERS), z.string().max(2_000).transform(splitAtCommas)])
    .pipe(z.array(phrase).min(1)),
});

function splitAtCommas(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, MAX_TRIGGERS);
}

/** The cards that fit the task best, two at most; the user's before the repository's of the same name. Never rejects. */
export async function skillsFor(
  task: Pick<Task, 'description' | 'success_criteria'>,
  env: ExecutionEnvironment,
  userFolder: string,
): Promise<Skill[]> {
  const [own, theirs] = await Promise.all([userCards(userFolder), repositoryCards(env)]);
  const cards = new Map([...theirs, ...own].map((card) => [card.name, card]));
  return fittingSkills(task, [...cards.values()]);
}

/** By how many of their trigger words the task has; the same for the same task and cards. Pure. */
export function fittingSkills(
  { description, success_criteria: criteria }: Pick<Task, 'description' | 'success_criteria'>,
  skills: readonly Skill[],
): Skill[] {
  const said = wordsOf([description, ...criteria.map((criterion) => criterionText(criterion))].join('\n'));
  const scored = skills.map((skill) => ({
    skill,
    hits: skill.triggers.filter((trigger) => said.includes(wordsOf(trigger))).length,
  }));
  return scored
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits || byCode(a.skill.name, b.skill.name))
    .slice(0, MAX_SKILLS)
    .map(({ skill }) => skill);
}

/** Lower case, one blank between words and around all of them, so that a word is found whole. */
const wordsOf = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;

/** `fallbackName`: where the card names itself nowhere. Undefined for a text that is no card. */
export async function readSkill(text: string, fallbackName: string): Promise<Skill | undefined> {
  const [, head = '', body = ''] = FRONT_MATTER.exec(text) ?? [];
  if (body.trim() === '') return undefined;
  // Most tasks meet no card.
  const { parse } = await import('yaml');
  let read: unknown;
  try {
    read = parse(head, { maxAliasCount: 0, logLevel: 'error' });
  } catch {
    return undefined;
  }
  const parsed = headSchema.safeParse(read);
  return parsed.success ? { name: fallbackName, ...parsed.data, text: body.trim() } : undefined;
}

const nameOf = (path: string): string => {
  const parts = path.split('/');
  const file = parts.at(-1) ?? path;
  return file === CARD_FILE ? (parts.at(-2) ?? file) : file.replace(/\.md$/iu, '');
};

const byCode = (a: string, b: string): number => (a < b ? -1 : 1);

async function userCards(folder: string): Promise<Skill[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names
    .sort(byCode)
    .slice(0, MAX_CARDS_A_FOLDER)
    .map((name) => (name.endsWith('.md') ? name : `${name}/${CARD_FILE}`));
  return cards(paths, (path) => readUserFile(join(folder, path)));
}

async function repositoryCards(env: ExecutionEnvironment): Promise<Skill[]> {
  const list = (pattern: string) =>
    env.glob(pattern, { maxResults: MAX_CARDS_A_FOLDER }).catch(() => [] as string[]);
  const [flat, own] = await Promise.all([list(`${FOLDER}/*.md`), list(`${FOLDER}/*/${CARD_FILE}`)]);
  return cards([...flat, ...own].sort(byCode), (path) => readWorkspaceFile(env, path));
}

async function cards(
  paths: readonly string[],
  read: (path: string) => Promise<string | undefined>,
): Promise<Skill[]> {
  const skills = await Promise.all(
    paths.map(async (path) => {
      const text = await read(path);
      // A card that was cut off would say half of what it means.
      if (text === undefined || Buffer.byteLength(text) >= MAX_GUIDANCE_BYTES) return undefined;
      return readSkill(text, nameOf(path));
    }),
  );
  return skills.filter((skill) => skill !== undefined);
}
