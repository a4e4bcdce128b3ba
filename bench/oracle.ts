/**
 * The suite's own solutions, handed in as a model would: in each form of an answer and by each tool that changes files. How many
 * arrive as they are, how many pass their hidden checks, and why each other one does not. `ORACLE_TASKS` and `ORACLE_FORMS`, split at commas,
 * take some of them.
 */
import PQueue from 'p-queue';
import { findMissingRequirement } from '../sidecar/cli/evaluate/requirements.ts';
import { loadSuite, type EvaluationTask } from '../sidecar/cli/evaluate/suite.ts';
import { FORMS, handIn, type Arrival } from '../test/oracle/hand-in.ts';
import { solve } from '../test/oracle/solved-task.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  note?: string;
}

const PARALLEL = 2;
const listed = (name: string): string[] => (process.env[name] ?? '').split(',').filter(Boolean);

export async function bench(): Promise<Figure[]> {
  const arrivals = await handInAll();
  return FORMS.flatMap((form) => {
    const own = arrivals.filter((each) => each.form === form);
    if (own.length === 0) return [];
    const missed = own
      .filter(({ asItIs }) => !asItIs)
      .map(({ task, passesHidden, reason }) => ({
        name: `  ${task}`,
        value: passesHidden ? 1 : 0,
        unit: passesHidden ? 'passes hidden' : 'fails hidden',
        note: reason ?? '',
      }));
    const count = (isOne: (each: Arrival) => boolean): number => own.filter(isOne).length;
    return [
      { name: `${form}: tasks`, value: own.length, unit: '' },
      { name: `${form}: arrive as they are`, value: count(({ asItIs }) => asItIs), unit: '' },
      { name: `${form}: pass hidden checks`, value: count(({ passesHidden }) => passesHidden), unit: '' },
      ...missed,
    ];
  });
}

/** A question changes nothing; who answers a wrong premise adds a test, which no answer may change. */
const isLeftOut = ({ readOnly, traits }: EvaluationTask): boolean =>
  readOnly || traits.includes('wrong-premise');

async function handInAll(): Promise<Arrival[]> {
  const { tasks } = await loadSuite('evals/tasks', { only: listed('ORACLE_TASKS') });
  const wanted = listed('ORACLE_FORMS');
  const forms = FORMS.filter((form) => wanted.length === 0 || wanted.includes(form));
  const queue = new PQueue({ concurrency: PARALLEL });
  const found = await Promise.all(
    tasks
      .filter((task) => !isLeftOut(task) && findMissingRequirement(task) === undefined)
      .map((task) =>
        queue.add(async () => {
          const solved = await solve(task);
          const arrivals: Arrival[] = [];
          try {
            for (const form of solved.files.length === 0 ? [] : forms) {
              const arrival = await handIn(solved, form);
              if (arrival) arrivals.push(arrival);
            }
          } finally {
            await solved.close();
          }
          return arrivals;
        }),
      ),
  );
  return found.flat();
}
