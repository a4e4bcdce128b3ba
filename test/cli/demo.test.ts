import { access, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { eventually } from '../support/eventually.ts';
import { chatsOf, say } from '../support/scripted-model.ts';
import { commandLine, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

/** The demo is shown as people see it: with drafts. */
const NO_OLLAMA = {
  OLLAMA_HOST: 'http://127.0.0.1:9',
  SIDECAR_MODEL: '',
  SIDECAR_SOLVING_STRATEGY: 'auto',
  SIDECAR_BRIEF_SECONDS: '15',
};
const demoFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('ollama-sidecar-demo-'));

describe('demo', () => {
  test('without Ollama the scripted model repairs the repository, and is called by its name', async () => {
    cli = await commandLine();
    const before = await demoFolders();
    const { code, stdout, stderr } = await cli.run(['demo'], NO_OLLAMA);
    expect(code).toBe(0);
    expect(stdout).toMatch(/model +scripted model/u);
    expect(stdout).toMatch(/1\. ✗ Draft 1: \+1 −1 in src\/cart\.js; 0 of 1 checks pass/u);
    expect(stdout).toMatch(/2\. ✓ Draft 2: \+1 −1 in src\/cart\.js; the check passes/u);
    expect(stdout).toContain('SUCCESS (verified)');
    expect(stdout).toMatch(/^ {2}\+ {2}return Math\.round\(sum - \(sum \* percent\) \/ 100\);$/mu);
    expect(stdout).toContain('This was the scripted model');
    expect(stdout).toContain('The branch and the repository are deleted now. Use --keep to retain them.');
    expect(stdout).not.toContain('git -C');
    expect(stdout).not.toMatch(/Warning/u);
    expect(stderr).toMatch(/^WARNING: the sandbox is off/mu);
    expect(await demoFolders()).toEqual(before);
  });

  test('a repository that is kept is still there, with the work on a branch of it', async () => {
    cli = await commandLine();
    const { stdout } = await cli.run(['demo', '--keep'], NO_OLLAMA);
    const [command = ''] = /git -C \S+ merge \S+/u.exec(stdout) ?? [];
    const folder = dirname(command.split(' ')[2] ?? '');
    cli.cleanup.add(() => rm(folder, { recursive: true, force: true }));
    expect((await execa('sh', ['-c', command], { reject: false })).exitCode).toBe(0);
  });

  test('without bubblewrap there is a visible warning, and with --json nothing but JSON lines besides', async () => {
    cli = await commandLine();
    const env = { ...NO_OLLAMA, SIDECAR_SANDBOX_MODE: 'auto' };
    const { code, stdout, stderr } = await cli.run(['demo', '--json'], {
      ...env,
      PATH: await pathWithoutBubblewrap(cli.dir),
    });
    expect(code).toBe(0);
    for (const line of stdout.trim().split('\n')) JSON.parse(line);
    expect(stderr).toMatch(/^WARNING: no sandbox .*Install bubblewrap/mu);
  });

  test('with a model that does not do it the ending is told by the exit code', async () => {
    cli = await commandLine({ turns: [say('I cannot do that.')] });
    expect((await cli.run(['demo'])).code).toBe(1);
  });

  test('a model server that dies meanwhile ends it soon, with the reason', async () => {
    cli = await commandLine({ turns: [{ ...say('never'), faults: [{ kind: 'hold' }] }] });
    const demo = cli.start(['demo']);
    await eventually(() => chatsOf(cli.model).length > 0, 'the first question');
    await cli.model.close();
    const { code, stdout } = await demo.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILED[^]*model_unreachable/u);
  });
});

/** A folder with links to git, node and a shell, and to nothing else. */
async function pathWithoutBubblewrap(dir: string): Promise<string> {
  const bin = join(dir, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  // The usual folders are looked at, too: one that does not work stands before them.
  await writeFile(join(bin, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  for (const name of ['git', 'sh', 'bash']) {
    for (const folder of ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']) {
      const found = await access(join(folder, name)).then(
        () => true,
        () => false,
      );
      if (!found) continue;
      await symlink(join(folder, name), join(bin, name));
      break;
    }
  }
  return bin;
}
