/** Each repository of the corpus through the whole worker: a hub, a model that answers over HTTP, a sandbox where there is one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import { describeWith } from '../../support/requirements.ts';
import { call, chatsOf, say } from '../../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../../support/sidecar.ts';
import { git } from '../../workspace/repositories.ts';
import { expectFiles, filesCases, type FilesCase } from './files.cases.ts';

let system: TestSystem;
beforeAll(async () => {
  const scripts = Object.entries(filesCases).map(([name, { calls }]) => ({
    name,
    when: { contains: `(${name})` },
    turns: [...calls.map(([tool, args]) => call(tool, args)), { ...say('Done.'), repeat: 'always' as const }],
  }));
  system = await startSystem({ scripts, turns: [] });
  await system.worker('w', { sandbox: { mode: 'auto' } });
});
afterAll(() => system.cleanup.close());

async function does(name: string, { make, check, shown = [], ...expected }: FilesCase): Promise<void> {
  const dir = join(system.dir, name.replaceAll(/\W+/g, '-'));
  mkdirSync(dir);
  const repo = make(dir) ?? dir;
  const asked = chatsOf(system.model).length;
  const steps = [{ type: 'command_succeeds', target: check }];
  const ended = await system.finish({
    description: `Repair it (${name})`,
    repo,
    verification_steps: steps,
    metadata: { max_iterations: expected.calls.length + 5 },
  });
  if (expected.refused) return expect(JSON.stringify(ended)).toMatch(expected.refused);
  const messages = chatsOf(system.model)
    .slice(asked)
    .flatMap((chat) => chat.messages.map(({ content }) => content));
  for (const part of shown) expect(messages.join('\n')).toMatch(part);
  const result = ended.result as TaskResult;
  expect([result.verification_status, result.changes?.patch_omitted ?? '']).toEqual([
    'verified',
    expect.any(String),
  ]);
  const clone = join(system.dir, `${ended.task_id}-clone`);
  git(system.dir, 'clone', '-q', '--branch', String(result.changes.branch), repo, clone);
  expectFiles(clone, expected.files);
  expected.more?.(clone, result);
}

describe('a task is done in', () => {
  for (const [name, each] of Object.entries(filesCases).filter(([, { needs }]) => needs === undefined))
    test(name, () => does(name, each));
});

for (const [name, each] of Object.entries(filesCases)) {
  if (each.needs) describeWith(each.needs, 'a task is done in', () => test(name, () => does(name, each)));
}
