/**
 * What remains of a task, submitted as it is to a hub that keeps no `base_ref`, again and again: each follow-up, done by another
 * worker, begins with the earlier work.
 */
import { afterEach, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { configSchema } from '../../sidecar/config/schema.ts';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import type { FollowUp, TaskResult } from '../../sidecar/protocol/result.ts';
import { CleanupStack } from '../../sidecar/system/cleanup-stack.ts';
import { systemClock } from '../../sidecar/system/clock.ts';
import { startWorker } from '../../sidecar/worker/worker.ts';
import { eventually } from '../support/eventually.ts';
import { HubDouble } from '../support/hub-double.ts';
import { loopAlone } from '../support/loop-alone.ts';
import { call, say, testModel } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { cleanUp, git, repository } from '../workspace/repositories.ts';

const cleanup = new CleanupStack();
afterEach(async () => {
  await cleanup.close();
  cleanUp();
});
const folder = tempFolders();

/** What the first message of a follow-up says of the earlier work. */
const goesOn = (index: number) =>
  `This goes on with task t${index - 1}: what that task changed is in the workspace already.`;

const FILES = ['one.txt', 'two.txt', 'three.txt', 'four.txt'];

/** What the public hub keeps of a submitted task. */
const kept = ({ description, repo, branch, metadata, verification_steps }: FollowUp) => ({
  description,
  repo,
  branch,
  metadata,
  verification_steps,
});

async function startHub(): Promise<HubDouble> {
  const hub = new HubDouble(systemClock);
  await hub.listen();
  cleanup.add(() => hub.kill());
  return hub;
}

/** The result of a task that a new worker with nothing on its disk does. */
async function resultOf(hub: HubDouble, modelUrl: string, id: string, task: object): Promise<TaskResult> {
  const dir = folder();
  const started = await startWorker({
    config: configSchema.parse({
      ...loopAlone,
      hub: { url: hub.url, agentId: 'worker-1', token: 'secret' },
      ollama: { url: modelUrl },
      model: { default: 'm' },
      limits: { maxVerificationRetries: 0 },
      sandbox: { mode: 'off' },
      worker: { stateDir: join(dir, 'state'), dataDir: join(dir, 'data') },
    }),
    logger: silentLogger,
  });
  if (!started.ok) throw new Error(started.failure.message);
  hub.submit(id, task);
  await eventually(() => hub.tasks.get(id)?.status === 'completed', `the end of ${id}`);
  await started.value.stop();
  return hub.tasks.get(id)?.result as TaskResult;
}

test.each([
  ['by a commit, where the workers share the repository', (path: string) => path],
  ['by a patch, where nobody else has the commit', (path: string) => `file://${path}`],
])('a follow-up is submitted as it is, three deep, and ends verified: %s', async (_how, named) => {
  const repo = repository();
  const scripts = FILES.map((name, index) => ({
    ...(index > 0 && { when: { firstUser: goesOn(index) } }),
    turns: [call('write_file', { file_path: name, content: `${name}\n` }), say(`Wrote ${name}.`)],
  }));
  const model = await testModel({ models: [{ name: 'm' }], scripts: scripts.toReversed() });
  const hub = await startHub();
  let task: object = {
    description: 'Write the four files.',
    repo: named(repo),
    metadata: { agentic: true },
    verification_steps: FILES.map((target) => ({ type: 'file_exists', target })),
  };
  for (const [index, name] of FILES.entries()) {
    const id = `t${index}`;
    const result = await resultOf(hub, model.url, id, task);
    const isLast = index === FILES.length - 1;
    expect(result).toMatchObject({ verification_status: isLast ? 'verified' : 'partial_pass' });
    expect(result.verification_report?.summary.passed).toBe(index + 1);
    expect(result.changes?.files.map(({ path }) => path)).toContain(name);
    if (isLast) return;
    expect(result.follow_up).toMatchObject({
      branch: `sidecar/${id}`,
      metadata: { follow_up_of: id, follow_up_depth: index + 1 },
    });
    task = kept(result.follow_up!);
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'main goes on');
  }
});
