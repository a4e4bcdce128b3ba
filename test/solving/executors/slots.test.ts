/** Several tasks on a server with one slot: no call waits for ever, and a task that waits says so and uses none of its time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { OllamaExecutor } from '../../../sidecar/solving/executors/ollama-executor.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import { Scheduler } from '../../../sidecar/model/servers/scheduler.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import type { ScriptedModelServer } from '../../../sidecar/model/scripted/server.ts';
import { eventually } from '../../support/eventually.ts';
import { hastyClock } from '../../support/hasty-clock.ts';
import { loopAlone } from '../../support/loop-alone.ts';
import { call, say, testModel, verbatim } from '../../support/scripted-model.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();

function project(): string {
  const dir = folder();
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(dir, 'src/add.js'), 'export function add(a, b) {\n  return a - b;\n}\n');
  return dir;
}

const wrong = (operator: string) =>
  verbatim(
    `No.\n\n\`\`\`js\n// src/add.js\nexport function add(a, b) {\n  return a ${operator} b;\n}\n\`\`\``,
  );

/** Fast enough for a test, slow enough that calls meet. */
const card = (slots: number): ScenarioInput => ({
  models: [
    { name: 'm', loadMs: 30 },
    { name: 'n', loadMs: 30 },
  ],
  card: { slots },
  speed: { promptTokensPerSecond: 100_000, tokensPerSecond: 2_000 },
  scripts: [
    {
      name: 'drafts',
      when: { system: 'You change the code' },
      position: 'seed',
      turns: [...['*', '/', '%', '**', '&'].map(wrong), wrong('+')],
    },
  ],
  turns: [
    call('shell', { command: 'sleep 0.02 # 1' }),
    call('shell', { command: 'sleep 0.02 # 2' }),
    { ...say('Done.'), repeat: 'always' },
  ],
});

/** The most calls that the card worked on at the same time. */
function mostAtOnce({ workLog }: ScriptedModelServer): number {
  const calls = workLog.filter(({ isLoad }) => !isLoad);
  const at = (ms: number) => calls.filter(({ startedMs, endedMs }) => startedMs <= ms && ms < endedMs).length;
  return Math.max(...calls.map(({ startedMs }) => at(startedMs)));
}

const drafting = {
  description: 'add(1, 2) returns -1; it should return 3.',
  file_hints: ['src/add.js'],
  verification_steps: [
    {
      type: 'command_succeeds' as const,
      target: `node -e "import('./src/add.js').then(({ add }) => process.exit(add(1, 2) === 3 ? 0 : 1))"`,
    },
  ],
};

test('drafts, loops and two models on one slot: all tasks end, none is lost', async () => {
  const server = await testModel(card(1));
  const scheduler = new Scheduler({ maxPassedOverMs: 2_000 });
  const executor = (config: object) =>
    new OllamaExecutor({ config: { sandbox: { mode: 'off' }, ...config }, scheduler });
  const drafts = executor({ solving: { strategy: 'drafts', drafts: 6 } });
  const loops = executor(loopAlone);
  const run = (id: number, model: string) =>
    (id % 2 === 0 ? drafts : loops).execute(
      {
        task_id: `t${id}`,
        description: 'Do it',
        agentic: true,
        routing_decision: { selected_model: model },
        ...(id % 2 === 0 && drafting),
      },
      { repo_dir: project(), ollama_url: server.url },
    );
  const results = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => run(id, id % 3 === 0 ? 'n' : 'm')));
  expect(results.map(({ status }) => status)).toEqual(results.map(() => 'success'));
  expect(mostAtOnce(server)).toBe(1);
  expect(scheduler.callCount).toBe(0);
  // What it took is told, and waiting is no part of it.
  const waited = results.filter(({ model_use: use }) => (use?.waiting_ms ?? 0) > 0);
  expect(waited.length).toBeGreaterThan(2);
  for (const { model_use: use, tokens_in: tokensIn } of results) {
    expect(use?.tokens_read).toBeLessThanOrEqual(tokensIn);
    expect(use?.writing_ms).toBeGreaterThan(0);
  }
});

test('a call that waits says so, uses none of the task’s time and ends when the task is cancelled', async () => {
  const hold = { faults: [{ kind: 'hold' as const }] };
  const server = await testModel({
    models: [{ name: 'm' }],
    rules: [{ when: { firstUser: 'first' }, ...say('Done.'), ...hold }],
    turns: [{ ...say('Done.'), repeat: 'always' }],
  });
  const scheduler = new Scheduler();
  const executor = new OllamaExecutor({
    config: { ...loopAlone, sandbox: { mode: 'off' }, ollama: { slots: 1, firstTokenTimeoutMs: 6_000_000 } },
    clock: hastyClock,
    scheduler,
  });
  const said: string[] = [];
  const run = (id: string, control = new TaskControl()) =>
    executor.execute(
      {
        task_id: id,
        description: id,
        agentic: true,
        ...(id !== 'first' && { metadata: { timeout_ms: 200_000 } }),
        routing_decision: { selected_model: 'm' },
      },
      { repo_dir: folder(), ollama_url: server.url, control },
      ({ text }) => said.push(`${id}: ${text}`),
    );
  const first = run('first');
  await eventually(() => scheduler.callCount === 1, 'the first call');
  const control = new TaskControl();
  const second = run('second', control);
  const third = run('third');
  // A hundred times faster: the task's own time would be over after 2 s, and these words come after 2.4 s.
  const isTold = (id: string) => said.includes(`${id}: Waiting for a slot of the model server (240 s)`);
  await eventually(() => isTold('second') && isTold('third'), 'the words of the calls that wait');
  control.stop('cancelled');
  expect(await second).toMatchObject({ termination_reason: 'cancelled' });
  server.release();
  expect(await first).toMatchObject({ status: 'success' });
  expect(await third).toMatchObject({ status: 'success', termination_reason: 'final_answer' });
  expect(scheduler.callCount).toBe(0);
});
