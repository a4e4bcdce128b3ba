/**
 * Whether the steps of a real coding agent arrive: each wrapped in every format, its prose in front, alone and with the
 * next step's command in the same answer; and the prose alone, which is no call.
 */
import { createToolRegistry } from '../../../../sidecar/tools/registry.ts';
import type { Parse, ParsedAnswer } from '../parser.ts';
import { callFormats, type WrittenCall } from './call-formats.ts';
import type { AgentStep } from './material.ts';

/**
 * `lost`: fewer calls than were written, without a word. `refused`: malformed. `invented`: more calls than were written.
 * `changed`: as many calls, but another name or arguments that are not equal to the last byte.
 */
export type StepOutcome = 'right' | 'lost' | 'refused' | 'invented' | 'changed';
export type StepKind = 'single' | 'pair' | 'prose alone' | 'all';

export interface StepCount extends Record<StepOutcome, number> {
  format: string;
  kind: StepKind;
  total: number;
  /** What was read as repaired, though it was written without a fault. */
  repaired: number;
}

const tools = createToolRegistry().definitions();
const shell = ({ command }: AgentStep): WrittenCall => ({ name: 'shell', arguments: { command } });

export function countAgentSteps(steps: readonly AgentStep[], parse: Parse): StepCount[] {
  const alone = newCount('–', 'prose alone');
  for (const { prose } of steps) add(alone, parse({ content: prose }, { tools }), []);
  return [
    ...callFormats.flatMap(({ title, write }) => {
      const single = newCount(title, 'single');
      const pair = newCount(title, 'pair');
      for (const [index, step] of steps.entries()) {
        const calls = [shell(step), shell(steps[(index + 1) % steps.length] ?? step)];
        const one = calls.slice(0, 1);
        add(single, parse({ content: write(step.prose, one) }, { tools }), one);
        add(pair, parse({ content: write(step.prose, calls) }, { tools }), calls);
      }
      return [single, pair];
    }),
    alone,
  ];
}

/** Everything that was not read right, of all that was read: 0 to 1. */
export function shareNotRight(counts: readonly StepCount[]): number {
  const sum = (of: (count: StepCount) => number) => counts.reduce((total, count) => total + of(count), 0);
  return 1 - sum(({ right }) => right) / sum(({ total }) => total);
}

const newCount = (format: string, kind: StepKind): StepCount => ({
  format,
  kind,
  total: 0,
  right: 0,
  lost: 0,
  refused: 0,
  invented: 0,
  changed: 0,
  repaired: 0,
});

function add(count: StepCount, answer: ParsedAnswer, written: readonly WrittenCall[]): void {
  count.total += 1;
  count[stepOutcome(answer, written)] += 1;
  if (answer.type === 'tool_calls' && answer.calls.some(({ repaired }) => repaired)) count.repaired += 1;
}

function stepOutcome(answer: ParsedAnswer, written: readonly WrittenCall[]): StepOutcome {
  if (answer.type === 'malformed') return 'refused';
  const calls = answer.type === 'tool_calls' ? answer.calls : [];
  if (calls.length !== written.length) return calls.length < written.length ? 'lost' : 'invented';
  const isRight = written.every(({ name, arguments: args }, index) => {
    const call = calls[index];
    return call?.name === name && JSON.stringify(call.arguments) === JSON.stringify(args);
  });
  return isRight ? 'right' : 'changed';
}
