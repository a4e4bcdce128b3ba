/** How a task is to be solved: the task, the configuration and the profile, in that order. */
import { expect, test } from '@jest/globals';
import { configSchema, type ConfigInput } from '../../sidecar/config/schema.ts';
import { solvingFor } from '../../sidecar/solve/solving-for.ts';
import { ModelCatalog } from '../../sidecar/model/catalog.ts';
import { taskSchema } from '../../sidecar/protocol/task.ts';

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
