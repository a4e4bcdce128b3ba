import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

describe('the scratch folder of a task without a repository', () => {
  const write = call('write_file', { file_path: 'half.txt', content: 'half\n' });
  const folders = async () =>
    (await readdir(join(system.dir, 'w1', 'worktrees'))).filter((name) => !name.startsWith('.'));

  test('stays after a partial result, since nothing else has it', async () => {
    system = await startSystem({ turns: [write, say('Half of it.')] });
    const worker = await system.worker('w1');
    const verification = [
      { type: 'file_exists', target: 'half.txt' },
      { type: 'file_exists', target: 'whole.txt' },
    ];
    const task = await system.finish({
      agentic: true,
      verification_steps: verification,
      max_verification_retries: 0,
    });
    expect(task.status).toBe('partial');
    await worker.stop();
    const [folder = ''] = await folders();
    expect(await readFile(join(system.dir, 'w1', 'worktrees', folder, 'half.txt'), 'utf8')).toBe('half\n');
  });

  test('goes after a success, whose result has all of it', async () => {
    system = await startSystem({ turns: [write, say('All of it.')] });
    const worker = await system.worker('w1');
    const task = await system.finish({
      agentic: true,
      verification_steps: [{ type: 'file_exists', target: 'half.txt' }],
    });
    expect(task.status).toBe('success');
    await worker.stop();
    expect(await folders()).toEqual([]);
  });
});
