import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { runGit, runGitText } from '../../sidecar/workspace/git.ts';
import { cleanUp, repository, temporaryFolder, write } from './repositories.ts';

const { PATH: path, HOME: home } = process.env;
afterEach(() => {
  Object.assign(process.env, { PATH: path, HOME: home });
});
afterAll(cleanUp);

/** Puts a shell script in the place of git, for what the real one does only with a bad network. */
function fakeGit(script: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  process.env.PATH = `${folder}:${path}`;
  return folder;
}

describe('a call of git', () => {
  test('gives its output, and its failure with what it said', async () => {
    const gitDir = join(repository(), '.git');
    expect(await runGitText({ gitDir, args: ['rev-parse', '--is-bare-repository'] })).toEqual({
      ok: true,
      value: 'false',
    });
    expect(await runGit({ gitDir, args: ['rev-parse', '--verify', 'nope'] })).toMatchObject({
      ok: false,
      failure: { code: 'git_failed', message: 'git rev-parse: Needed a single revision', exitCode: 128 },
    });
  });

  test('that takes too long is ended with all it started', async () => {
    const folder = fakeGit('sleep 60 & echo $! > "$HOME/child"; trap "" TERM; wait; wait');
    process.env.HOME = folder;
    const outcome = await runGit({ gitDir: folder, args: ['fetch'], timeoutMs: 200 });
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'git_timeout' } });
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    expect(() => process.kill(child, 0)).toThrow();
  });

  test('does not wait for a helper that holds its error output open', async () => {
    const folder = fakeGit('setsid sleep 30 >/dev/null & echo done');
    const startMs = performance.now();
    expect(await runGitText({ gitDir: folder, args: ['fetch'] })).toEqual({ ok: true, value: 'done' });
    expect(performance.now() - startMs).toBeLessThan(20_000);
  });

  test('is bounded in output', async () => {
    const folder = fakeGit('yes');
    expect(await runGit({ gitDir: folder, args: ['log'], maxOutputBytes: 10_000 })).toMatchObject({
      failure: { code: 'git_output_too_large' },
    });
  });

  test('can be stopped, before it starts too', async () => {
    const folder = fakeGit('sleep 60');
    const controller = new AbortController();
    const running = runGit({ gitDir: folder, args: ['fetch'], signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ failure: { code: 'aborted' } });
    expect(await runGit({ gitDir: folder, args: ['fetch'], signal: controller.signal })).toMatchObject({
      failure: { code: 'aborted' },
    });
  });

  test('says so when there is no git', async () => {
    process.env.PATH = '/nonexistent';
    expect(await runGit({ gitDir: temporaryFolder(), args: ['version'] })).toMatchObject({
      failure: { code: 'git_missing', message: expect.stringContaining('git could not be started') },
    });
  });

  test('is not a program of the work tree, where the PATH has a folder that is not absolute', async () => {
    const workTree = repository();
    write(workTree, { git: '#!/bin/sh\ntouch planted\n', 'bin/git': '#!/bin/sh\ntouch planted\n' });
    for (const name of ['git', 'bin/git']) chmodSync(join(workTree, name), 0o755);
    process.env.PATH = `:.:bin:${path}`;
    const ran = await runGitText({ gitDir: join(workTree, '.git'), workTree, args: ['status', '--short'] });
    expect(ran).toEqual({ ok: true, value: '?? bin/\n?? git' });
    expect(existsSync(join(workTree, 'planted'))).toBe(false);
  });

  test('gets nothing of the environment that could steer it', async () => {
    const folder = fakeGit('env | grep ^GIT_ | sort; echo "secret=$MY_SECRET"');
    Object.assign(process.env, {
      GIT_DIR: '/evil',
      GIT_EXTERNAL_DIFF: '/evil',
      GIT_CONFIG_PARAMETERS: 'x',
      MY_SECRET: 'x',
    });
    try {
      const local = await runGitText({ gitDir: folder, args: ['status'] });
      expect(local.ok && local.value).not.toMatch(/evil|GIT_CONFIG_PARAMETERS|secret=x/);
      const remote = await runGitText({ gitDir: folder, args: ['fetch'], operatorConfig: true });
      expect(remote.ok && remote.value).not.toMatch(/evil|GIT_CONFIG_PARAMETERS/);
    } finally {
      for (const name of ['GIT_DIR', 'GIT_EXTERNAL_DIFF', 'GIT_CONFIG_PARAMETERS', 'MY_SECRET'])
        delete process.env[name];
    }
  });
});
