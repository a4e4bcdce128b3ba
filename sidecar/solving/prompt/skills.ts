/**
 * Reads skills: Markdown cards of the user or a repository, each of which explains one kind of work. A card begins with its trigger words
 * and a description for users. The best matching cards are added to a task's first message. Invalid cards are ignored.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { ExecutionEnvironment } from '../../base/ports.ts';
import { criterionTextOf, type Task } from '../../base/protocol/task.ts';
import { MAX_GUIDANCE_BYTES, readUserFile, readWorkspaceFile } from './guidance-file.ts';

/** Maximum number of cards in one message; small models do not follow more than two. */
const MAX_SKILLS = 2;
const MAX_CARDS_PER_FOLDER = 200;
const MAX_TRIGGERS = 50;
const SKILLS_FOLDER = 'skills';
/** Name of a card's file if the card has a folder of its own. */
const CARD_FILE = 'SKILL.md';
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/u;

export interface Skill {
  name: string;
  /** Words or short phrases. A task that contains one of them needs the card. */
  triggers: readonly string[];
  text: string;
}

const phraseSchema = z.string().trim().min(1).max(80);
const headSchema = z.object({
  name: phraseSchema.optional(),
  triggers: z
    .union([z.array(phraseSchema).max(MAX_TRIGGERS), z.string().max(2_000).transform(splitAtCommas)])
    .pipe(z.array(phraseSchema).min(1)),
});

function splitAtCommas(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, MAX_TRIGGERS);
}

/** Returns at most two cards that match the task best. Cards of the user override those of the repository. Never rejects. */
export async function findSkills(
  task: Pick<Task, 'description' | 'success_criteria'>,
  env: ExecutionEnvironment,
  userFolder: string,
): Promise<Skill[]> {
  const [own, theirs] = await Promise.all([readUserCards(userFolder), readRepositoryCards(env)]);
  const cards = new Map([...theirs, ...own].map((card) => [card.name, card]));
  return selectSkills(task, [...cards.values()]);
}

/** Ranks cards by the number of their trigger words in the task. Deterministic and pure. */
export function selectSkills(
  { description, success_criteria: criteria }: Pick<Task, 'description' | 'success_criteria'>,
  skills: readonly Skill[],
): Skill[] {
  const taskWords = normalizeWords(
    [description, ...criteria.map((criterion) => criterionTextOf(criterion))].join('\n'),
  );
  const rankedSkills = skills.map((skill) => ({
    skill,
    hits: skill.triggers.filter((trigger) => taskWords.includes(normalizeWords(trigger))).length,
  }));
  return rankedSkills
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits || compareNames(a.skill.name, b.skill.name))
    .slice(0, MAX_SKILLS)
    .map(({ skill }) => skill);
}

/** Normalizes a text to lower-case words with single blanks around them, so that only whole words match. */
const normalizeWords = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;

/** Parses a card. `fallbackName` is its name if the card contains none. Returns undefined for an invalid card. */
export async function parseSkill(text: string, fallbackName: string): Promise<Skill | undefined> {
  const [, head = '', body = ''] = FRONT_MATTER.exec(text) ?? [];
  if (body.trim() === '') return undefined;
  // Loads the YAML parser only here, since most tasks have no cards.
  const { parse } = await import('yaml');
  let frontMatter: unknown;
  try {
    frontMatter = parse(head, { maxAliasCount: 0, logLevel: 'error' });
  } catch {
    return undefined;
  }
  const parsed = headSchema.safeParse(frontMatter);
  return parsed.success ? { name: fallbackName, ...parsed.data, text: body.trim() } : undefined;
}

const skillNameOf = (path: string): string => {
  const parts = path.split('/');
  const file = parts.at(-1) ?? path;
  return file === CARD_FILE ? (parts.at(-2) ?? file) : file.replace(/\.md$/iu, '');
};

const compareNames = (a: string, b: string): number => (a < b ? -1 : 1);

async function readUserCards(folder: string): Promise<Skill[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names
    .sort(compareNames)
    .slice(0, MAX_CARDS_PER_FOLDER)
    .map((name) => (name.endsWith('.md') ? name : `${name}/${CARD_FILE}`));
  return readCards(paths, (path) => readUserFile(join(folder, path)));
}

async function readRepositoryCards(env: ExecutionEnvironment): Promise<Skill[]> {
  const list = (pattern: string) =>
    env.glob(pattern, { maxResults: MAX_CARDS_PER_FOLDER }).catch(() => [] as string[]);
  const [singleFiles, folderCards] = await Promise.all([
    list(`${SKILLS_FOLDER}/*.md`),
    list(`${SKILLS_FOLDER}/*/${CARD_FILE}`),
  ]);
  return readCards([...singleFiles, ...folderCards].sort(compareNames), (path) =>
    readWorkspaceFile(env, path),
  );
}

async function readCards(
  paths: readonly string[],
  read: (path: string) => Promise<string | undefined>,
): Promise<Skill[]> {
  const skills = await Promise.all(
    paths.map(async (path) => {
      const text = await read(path);
      // A truncated card could mislead.
      if (text === undefined || Buffer.byteLength(text) >= MAX_GUIDANCE_BYTES) return undefined;
      return parseSkill(text, skillNameOf(path));
    }),
  );
  return skills.filter((skill) => skill !== undefined);
}
