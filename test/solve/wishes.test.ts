/** How often a task is tried, by which models, and in which steps. */
import { expect, test } from '@jest/globals';
import { configSchema, type ConfigInput } from '../../sidecar/config/schema.ts';
import { ModelCatalog } from '../../sidecar/model/catalog.ts';
import { attemptPlan, modelsFor, solvingFor } from '../../sidecar/solve/wishes.ts';
import { taskSchema } from '../../sidecar/protocol/task.ts';

const plan = (metadata: object, config: object = {}, selected_model?: string) =>
  attemptPlan(
    taskSchema.parse({ task_id: 't', description: 'd', metadata, routing_decision: { selected_model } }),
    configSchema.parse(config),
  );

test.each([
  ['once where nobody says more', plan({}), { count: 1, models: [] }],
  ['as the configuration says', plan({}, { solving: { attempts: 3 } }), { count: 3, models: [] }],
  [
    'as the task says, before the configuration',
    plan({ attempts: 2 }, { solving: { attempts: 3 } }),
    { count: 2, models: [] },
  ],
  [
    'once for each model of a ladder',
    plan({}, { model: { ladder: ['a', 'b'] } }),
    { count: 2, models: ['a', 'b'] },
  ],
  [
    "with the task's models in place of the operator's",
    plan({ models: ['c', 'd', 'e'] }, { model: { ladder: ['a', 'b'] }, solving: { attempts: 2 } }),
    { count: 3, models: ['c', 'd', 'e'] },
  ],
  [
    'from the model on that the task names',
    plan({}, { model: { ladder: ['a', 'b', 'c'] } }, 'b'),
    { count: 2, models: ['b', 'c'] },
  ],
  [
    'after a model that is not in the ladder',
    plan({}, { model: { ladder: ['a'] } }, 'x'),
    { count: 2, models: ['x', 'a'] },
  ],
  ['without what cannot be meant', plan({ attempts: -1, models: 'a' }), { count: 1, models: [] }],
])('a task is tried %s', (_how, made, wanted) => {
  expect(made).toEqual(wanted);
});

test('attempts are shared evenly among the models, first models first', () => {
  const turns = (count: number, models: string[]) =>
    Array.from({ length: count }, (_, index) => modelsFor({ count, models }, index + 1)[0]);
  expect(turns(4, ['a', 'b'])).toEqual(['a', 'a', 'b', 'b']);
  expect(turns(3, ['a', 'b'])).toEqual(['a', 'a', 'b']);
  expect(turns(2, ['a', 'b', 'c'])).toEqual(['a', 'b']);
  expect(turns(2, [])).toEqual([undefined, undefined]);
  expect(modelsFor({ count: 3, models: ['a', 'b', 'c'] }, 2)).toEqual(['b', 'c']);
});

const entry = new ModelCatalog({
  profiles: [{ match: { name: 'm*' }, solving: { drafts: 2, repairs: 2 } }],
}).entry('m');

const solving = (config: ConfigInput['solving'], metadata: Record<string, unknown> = {}) =>
  solvingFor(
    {
      task: taskSchema.parse({ task_id: 't', description: 'Fix it', metadata }),
      config: configSchema.parse({ solving: config }),
    },
    entry,
  );

test('the configuration wins over the profile, and leaves alone what it does not name', () => {
  expect(solving({})).toMatchObject({ strategy: 'auto', drafts: 2, repairs: 2 });
  expect(solving({ repairs: 0 })).toMatchObject({ drafts: 2, repairs: 0 });
});

test('the task wins over both, unless it says nonsense', () => {
  expect(solving({ drafts: 5 }, { drafts: 1, strategy: 'loop' })).toMatchObject({
    drafts: 1,
    strategy: 'loop',
  });
  expect(solving({ drafts: 5 }, { drafts: 'many', strategy: 'luck' })).toMatchObject({
    drafts: 5,
    strategy: 'auto',
  });
});
