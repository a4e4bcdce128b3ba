/** Programs with arguments that no shell reads, and programs that are spoken to while they run. */
import { describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalExecutionEnvironmentOptions } from '../../sidecar/local-environment.ts';
import { describeWith } from '../support/requirements.ts';
import { until } from '../support/until.ts';
import { refusal, withWorkspace } from '../support/workspace-fixture.ts';

const HOSTILE = [
  '$(touch owned)',
  '`touch owned`',
  '; touch owned',
  '',
  "it's",
  '"',
  '-n',
  '*',
  '~',
  'a\nb',
  '$HOME',
];
const ECHO_ARGUMENTS = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';

describe('a program', () => programTests({ sandbox: 'off' }));
describeWith('bubblewrap', 'a program in the sandbox', () => programTests({ sandbox: 'required' }));

function programTests(options: Partial<LocalExecutionEnvironmentOptions>): void {
  test('gets its arguments as they are', async () => {
    await withWorkspace(options, async ({ env }) => {
      const result = await env.execProgram(['node', '-e', ECHO_ARGUMENTS, '--', ...HOSTILE]);
      expect(result.exitCode).toBe(0);
      expect(JSON.parse(result.stdout)).toEqual(HOSTILE);
      expect(await env.fileExists('owned')).toBe(false);
    });
  });

  test('that is not there ends with 127', async () => {
    await withWorkspace(options, async ({ env }) => {
      const result = await env.execProgram(['no-such-program', 'a']);
      expect(result).toMatchObject({ exitCode: 127, timedOut: false });
      expect(result.stderr).toContain('no-such-program');
    });
  });

  test('is spoken to, gets its own variables, and ends when it is stopped', async () => {
    await withWorkspace(options, async ({ env, workspace }) => {
      await writeFile(
        join(workspace, 'echo.mjs'),
        `process.stdout.write(process.env.ANSWER);
         process.stdin.on('data', (chunk) => process.stdout.write(String(chunk).toUpperCase()));`,
      );
      let heard = '';
      const program = await env.startProgram(['node', 'echo.mjs'], {
        variables: { ANSWER: '42' },
        onStdout: (chunk) => {
          heard += String(chunk);
        },
      });
      program.write('hello');
      await until(() => heard === '42HELLO', 'the answer');
      await program.stop();
      await program.stop();
      expect(await program.ended).toMatchObject({ exitCode: null, aborted: true });
      program.write('nobody hears this');
    });
  });

  test('that ends by itself says how, with what it wrote to stderr', async () => {
    await withWorkspace(options, async ({ env }) => {
      const program = await env.startProgram(['node', '-e', 'console.error("no key"); process.exit(3)'], {
        onStdout: () => undefined,
      });
      expect(await program.ended).toMatchObject({ exitCode: 3, stderr: 'no key\n', aborted: false });
    });
  });

  test('is ended with its environment, also one that ignores SIGTERM', async () => {
    await withWorkspace(options, async ({ env }) => {
      let heard = '';
      const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")';
      const program = await env.startProgram(['node', '-e', code], {
        onStdout: (chunk) => {
          heard += String(chunk);
        },
      });
      await until(() => heard === 'up\n', 'its start');
      await env.cleanup();
      expect(await program.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL', aborted: true });
    });
  });
}

test('an argument with a NUL character is refused', async () => {
  await withWorkspace({}, async ({ env }) => {
    expect(await refusal(env.execProgram(['echo', 'a\0b']))).toBe('COMMAND_DENIED');
    const start = env.startProgram(['echo', 'a\0b'], { onStdout: () => undefined });
    expect(await refusal(start)).toBe('COMMAND_DENIED');
  });
});
