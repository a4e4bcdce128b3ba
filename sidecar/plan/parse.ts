/**
 * Reads a plan document leniently: missing parts get defaults, variations that people and
 * models write are understood. Text that has no place in a plan is an error and never dropped, since
 * the next write would lose it. Never throws.
 */
import { parse as parseYaml } from 'yaml';
import { errorMessage } from '../values/errors.ts';
import {
  PlanFormatError,
  readCriteria,
  readDecisions,
  readGoal,
  readLog,
  readTime,
} from './parse-sections.ts';
import type { ReadContext } from './parse-sections.ts';
import { planStatuses } from './plan.ts';
import type { Plan, PlanStatus } from './plan.ts';
import { decodeText } from './plan-text.ts';
import { repairPrompt } from './repair-prompt.ts';

/** Larger documents are refused. */
export const MAX_PLAN_CHARS = 4 * 1024 * 1024;

export type PlanParse =
  { success: true; plan: Plan } | { success: false; error: { message: string; suggestedPrompt: string } };

/** `nowMs` stands in for times that a document does not have; default: the present. */
export function parsePlan(text: string, { nowMs = Date.now() }: { nowMs?: number } = {}): PlanParse {
  try {
    if (text.length > MAX_PLAN_CHARS)
      throw new PlanFormatError(`it is longer than ${MAX_PLAN_CHARS} characters`);
    return { success: true, plan: readPlan(text, nowMs) };
  } catch (error) {
    if (!(error instanceof PlanFormatError)) throw error;
    const message = `The plan document cannot be read: ${error.message}`;
    return { success: false, error: { message, suggestedPrompt: repairPrompt(message) } };
  }
}

function readPlan(text: string, nowMs: number): Plan {
  const { fields, body } = splitFrontMatter(withoutFence(text));
  const createdAt = fields?.createdAt === undefined ? nowMs : readTime(fields.createdAt, 'createdAt');
  const updatedAt = fields?.updatedAt === undefined ? createdAt : readTime(fields.updatedAt, 'updatedAt');
  const { heading, status, sections } = splitBody(body);
  // Without front matter a person or a model wrote it: backslashes are not escapes.
  const context: ReadContext = { decode: fields ? decodeText : (line) => line, defaultTimeMs: updatedAt };
  return {
    status: readStatus(fields?.status ?? status),
    goal: joinGoal(readGoal(sections.goal, context), readGoal([heading], context)),
    acceptanceCriteria: readCriteria(sections.criteria ?? [], context),
    ...(sections.steps ? { steps: readCriteria(sections.steps, context) } : {}),
    decisionsMade: readDecisions(sections.made ?? [], context),
    decisionsRejected: readDecisions(sections.rejected ?? [], context),
    executionLog: readLog(sections.log ?? [], context),
    metadata: { createdAt, updatedAt, version: readVersion(fields?.version) },
  };
}

/** The heading repeats the goal's beginning; where it says something else, that is part of the goal. */
function joinGoal(goal: string | undefined, heading: string | undefined): string {
  if (goal === undefined || heading === undefined) return goal ?? heading ?? '';
  return goal.trim().startsWith(heading.replace(/…$/, '')) ? goal : `${heading}\n${goal}`;
}

/** A whole document inside of a code fence is the document. */
function withoutFence(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const fenced =
    /^```[a-z]*$/i.test(lines[first]?.trim() ?? '') && lines[last]?.trim() === '```' && last > first;
  return fenced ? lines.slice(first + 1, last) : lines.slice(first, last + 1);
}

const FRONT_MATTER_KEYS = ['status', 'createdAt', 'updatedAt', 'version'] as const;
type FrontMatter = Partial<Record<(typeof FRONT_MATTER_KEYS)[number], string>>;

function splitFrontMatter(lines: string[]): { fields?: FrontMatter; body: string[] } {
  if (lines[0]?.trim() !== '---') return { body: lines };
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  if (end < 0) throw new PlanFormatError('the front matter has no closing "---"');
  return { fields: readFrontMatter(lines.slice(1, end).join('\n')), body: lines.slice(end + 1) };
}

function readFrontMatter(yaml: string): FrontMatter {
  let value: unknown;
  try {
    // All scalars stay text, so that YAML does not guess types.
    value = parseYaml(yaml, { schema: 'failsafe', logLevel: 'error' });
  } catch (error) {
    throw new PlanFormatError(`the front matter is not valid YAML (${firstLine(error)})`);
  }
  if (!value) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new PlanFormatError('the front matter is no mapping');
  const fields: FrontMatter = {};
  for (const [key, field] of Object.entries(value)) {
    const name = FRONT_MATTER_KEYS.find(
      (known) => known.toLowerCase() === key.replaceAll('_', '').toLowerCase(),
    );
    if (!name) throw new PlanFormatError(`the front matter has an unknown key "${key}"`);
    if (typeof field !== 'string')
      throw new PlanFormatError(`"${key}" in the front matter must be one value`);
    if (field.trim() !== '') fields[name] = field.trim();
  }
  return fields;
}
const firstLine = (error: unknown) => errorMessage(error).split('\n')[0];

type SectionName = 'goal' | 'criteria' | 'steps' | 'made' | 'rejected' | 'log';
type Sections = Partial<Record<SectionName, string[]>>;
const SECTION_NAMES = new Map<string, SectionName>([
  ['goal', 'goal'],
  ['acceptance criteria', 'criteria'],
  ['steps', 'steps'],
  ['decisions made', 'made'],
  ['decisions', 'made'],
  ['decisions rejected', 'rejected'],
  ['rejected decisions', 'rejected'],
  ['execution log', 'log'],
]);

function splitBody(lines: readonly string[]): {
  heading: string;
  status: string | undefined;
  sections: Sections;
} {
  const sections: Sections = {};
  let heading = '';
  let status: string | undefined;
  let current: string[] | undefined;
  for (const line of lines) {
    const [, plan] = /^#\s*Plan\s*:\s*(.*)$/i.exec(line) ?? [];
    const title = /^##?(?!#)(.*)$/.exec(line)?.[1]?.trim() || undefined;
    const [, stated] = current ? [] : (/^\*\*Status:\*\*\s*(.*)$/i.exec(line) ?? []);
    if (plan !== undefined && !current) heading = plan;
    else if (title !== undefined) {
      const name = SECTION_NAMES.get(title.replace(/:$/, '').toLowerCase());
      if (!name) throw new PlanFormatError(`"${title}" is no section of a plan`);
      current = sections[name] ??= [];
    } else if (stated !== undefined) status = stated;
    else if (/^(?:-{3,}|\*{3,})\s*$/.test(line)) continue;
    else if (current) current.push(line);
    else if (line.trim() !== '')
      throw new PlanFormatError(`text before the first section: "${line.trim().slice(0, 80)}"`);
  }
  return { heading, status, sections };
}

function readStatus(text: string | undefined): PlanStatus {
  if (text === undefined || text.trim() === '') return 'planning';
  const name = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const status = planStatuses.find((known) => known === name);
  if (!status) throw new PlanFormatError(`unknown status "${text}"; write one of ${planStatuses.join(', ')}`);
  return status;
}

function readVersion(text: string | undefined): number {
  if (text === undefined) return 1;
  const version = Number(text);
  if (!Number.isInteger(version) || version < 0)
    throw new PlanFormatError(`version must be a whole number, not "${text}"`);
  return version;
}
