/**
 * Which answers are read right, without running anything: the suite's own solutions in each form of an answer, with and without
 * the names of files, with parts left out; and recorded answers (`ANSWERS`, the `answers.jsonl` of an evaluation), which count
 * as right if they arrive as the solution. Run it in a checkout without a rule to see what the rule is good for.
 */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyAnswer, type AnswerCandidate } from '../sidecar/parsing/apply-edits/index.ts';
import { definitionsOf } from '../sidecar/parsing/definitions/index.ts';
import type { AnswerRecord } from '../sidecar/cli/evaluate/answer-log.ts';
import { loadSuite } from '../sidecar/cli/evaluate/suite.ts';
import { parseJson } from '../sidecar/base/values/json.ts';
import { ANSWER_FORMS } from '../test/oracle/answer-forms.ts';
import { solve, type SolvedTask } from '../test/oracle/solved-task.ts';
import type { Figure, Table } from './support/measure.ts';

const MAX_FILE_BYTES = 300_000;
/** How many files are shown beside those that the solution changes. */
const OTHERS_SHOWN = 6;
const OUTCOMES = ['right', 'later', 'false', 'unread'] as const;
type Counts = Record<(typeof OUTCOMES)[number], number>;

export async function bench(): Promise<{ figures: Figure[]; tables: Table[] }> {
  const byForm = new Map<string, Counts>();
  const { tasks } = await loadSuite('evals/tasks');
  for (const task of tasks.filter(({ readOnly, traits }) => !readOnly && !traits.includes('wrong-premise'))) {
    const solved = await solve(task);
    const files = filesIn(await solved.tree());
    for (const [form, answer] of await answersOf(solved)) {
      const counts = byForm.get(form) ?? { right: 0, later: 0, false: 0, unread: 0 };
      counts[await outcomeOf(answer, solved, files)] += 1;
      byForm.set(form, counts);
    }
    await solved.close();
  }
  const rows = [...byForm].map(([form, counts]) => [form, ...OUTCOMES.map((name) => String(counts[name]))]);
  return { figures: [], tables: [{ title: 'Answers by form', columns: ['form', ...OUTCOMES], rows }] };
}

async function answersOf(solved: SolvedTask): Promise<[form: string, answer: string][]> {
  const [whole, changed] = [
    ANSWER_FORMS['whole files'](solved),
    await ANSWER_FORMS['changed definitions'](solved),
  ];
  const forms: [string, string | undefined][] = [
    ['whole files', whole],
    ['whole files, no path', whole.replaceAll(/^`[^`]+`:$/gm, '')],
    ['unified diff', ANSWER_FORMS['unified diff'](solved)],
    ['search and replace', ANSWER_FORMS['search and replace'](solved)],
    ['changed definitions', changed],
    ['changed definitions, no path', changed?.replaceAll(/^(?:#|\/\/) \S+\.\w+$/gm, '')],
    ['unchanged bodies left out', await leaveOut(solved, 'body')],
    ['unchanged definitions left out', await leaveOut(solved, 'definition')],
    ...recorded
      .filter(({ task }) => task === solved.task.id)
      .map(({ model, answer }): [string, string] => [model, answer]),
  ];
  return forms.flatMap(([form, answer]) => (answer === undefined ? [] : [[form, answer]]));
}

const recorded: AnswerRecord[] = (process.env.ANSWERS ? readFileSync(process.env.ANSWERS, 'utf8') : '')
  .split('\n')
  .flatMap((line) => (line === '' ? [] : [parseJson(line) as AnswerRecord]))
  .filter(({ form }) => form === 'text');

/** Returns whole files with a mark in place of what the solution does not change; undefined if nothing is left out. */
async function leaveOut({ files }: SolvedTask, part: 'body' | 'definition'): Promise<string | undefined> {
  const blocks: string[] = [];
  let isShorter = false;
  for (const { path, before, after } of files) {
    const definitions = after === undefined ? undefined : await definitionsOf(path, after);
    if (before === undefined || after === undefined || !definitions) return undefined;
    const mark = `${/\.(?:py|sh|rb)$/.test(path) ? '#' : '//'} ... existing code ...`;
    let text = after;
    for (const { start, end, kind } of definitions.toReversed()) {
      const lines = after.slice(start, end).split('\n');
      if (lines.length < 5 || !before.includes(lines.join('\n'))) continue;
      if (part === 'body' && kind !== 'function') continue;
      const last = mark.startsWith('#') ? [] : lines.slice(-1);
      const body = [lines[0], `${/^\s*/.exec(lines[1] ?? '')?.[0]}${mark}`, ...last].join('\n');
      text = text.slice(0, start) + (part === 'body' ? body : mark) + text.slice(end);
      isShorter = true;
    }
    blocks.push(`\`${path}\`:\n\n\`\`\`\`\`\n${text.trimEnd()}\n\`\`\`\`\``);
  }
  return isShorter ? blocks.join('\n\n') : undefined;
}

function filesIn(dir: string): Map<string, string> {
  const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const own = paths.filter((path) => !/^(?:\.git|node_modules)(?:\/|$)/.test(path));
  const files = own.filter(
    (path) => statSync(join(dir, path)).isFile() && statSync(join(dir, path)).size < MAX_FILE_BYTES,
  );
  return new Map(files.map((path) => [path, readFileSync(join(dir, path), 'utf8')]));
}

async function outcomeOf(
  answer: string,
  { files: changed }: SolvedTask,
  files: ReadonlyMap<string, string>,
): Promise<(typeof OUTCOMES)[number]> {
  const wanted = new Map(changed.map(({ path, after }) => [path, after]));
  const others = [...files.keys()].filter((path) => !wanted.has(path));
  const candidates = await applyAnswer(answer, {
    read: (path) => Promise.resolve(files.get(path)),
    shownPaths: [...[...wanted.keys()].filter((path) => files.has(path)), ...others.slice(0, OTHERS_SHOWN)],
    mayChange: (path) => wanted.has(path) || !/test|check/i.test(path),
  });
  const isRight = (candidate: AnswerCandidate): boolean => {
    const now = new Map(candidate.files.map(({ path, after }) => [path, after]));
    return (
      [...now.keys()].every((path) => wanted.has(path)) &&
      [...wanted].every(
        ([path, after]) => words(now.has(path) ? now.get(path) : files.get(path)) === words(after),
      )
    );
  };
  if (isRight(candidates[0])) return 'right';
  if (candidates[0].files.length === 0) return 'unread';
  return candidates.some(isRight) ? 'later' : 'false';
}

/** Returns a text without what only looks different. */
const words = (text: string | undefined): string | undefined =>
  text
    ?.replace(/^\uFEFF/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
