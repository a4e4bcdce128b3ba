/** Commands without a sandbox: the spawn port's promises. */
import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLong } from '../../support/scale.ts';
import { refusal, withWorkspace } from '../../support/workspace-fixture.ts';

/** Whether a process lives on; one that was killed is given the moment that the kernel needs to end it. */
async function isAlive(pid: number): Promise<boolean> {
  const giveUpMs = performance.now() + 5_000;
  for (;;) {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (status === '' || /\) [ZX] /.test(status)) return false;
    if (performance.now() > giveUpMs) return true;
  }
}

describe('a command', () => {
  test('gives stdout, stderr, both in order, and its exit code', async () => {
    await withWorkspace({}, async ({ env, workspace }) => {
      const result = await env.execCommand('echo out; echo err >&2; pwd; exit 3');
      expect(result).toMatchObject({
        stdout: `out\n${workspace}\n`,
        stderr: 'err\n',
        exitCode: 3,
        signal: null,
        timedOut: false,
        aborted: false,
        droppedBytes: 0,
        sandboxed: false,
      });
      const lines = (text: string) => text.split('\n').toSorted();
      expect(lines(result.output)).toEqual(lines(result.stdout + result.stderr));
    });
  });

  test('runs in a folder of the workspace, without stdin, and with bash where there is one', async () => {
    await withWorkspace({}, async ({ env, put, workspace }) => {
      await put('workspace/sub/a.txt', '');
      const result = await env.execCommand('pwd; wc -c; [[ -n "$BASH_VERSION" ]] && echo {1..3}', {
        cwd: 'sub',
      });
      expect(result.stdout).toBe(`${join(workspace, 'sub')}\n0\n1 2 3\n`);
    });
  });

  test('that a signal ends has that signal and no exit code', async () => {
    await withWorkspace({}, async ({ env }) => {
      expect(await env.execCommand('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    });
  });

  test('that cannot be started is refused, not thrown', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/file', '');
      expect(await refusal(env.execCommand('true', { cwd: 'missing' }))).toBe('NOT_FOUND');
      expect(await refusal(env.execCommand('true', { cwd: 'file' }))).toBe('NOT_A_DIRECTORY');
      expect(await refusal(env.execCommand(`: ${'x'.repeat(3_000_000)}`))).toBe('COMMAND_NOT_STARTED');
      expect(await refusal(env.execCommand('echo a\0b'))).toBe('COMMAND_DENIED');
    });
  });

  test('reports syntax errors with the line numbers of the command', async () => {
    await withWorkspace({}, async ({ env }) => {
      const result = await env.execCommand('true\nif then fi');
      expect(result.exitCode).not.toBe(0);
      expect(result.stderr).toContain('line 2');
    });
  });
});

describe('output', () => {
  test('past the limit loses its middle while the command goes on, in flat memory', async () => {
    await withWorkspace({}, async ({ env }) => {
      const bytes = (isLong ? 512 : 128) * 1024 * 1024;
      const before = process.memoryUsage.rss();
      let peak = before;
      const sampling = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss());
      }, 20);
      const result = await env.execCommand(
        `echo first; yes 0123456789 | head -c ${bytes}; echo; echo last; echo done >&2`,
        { timeoutMs: 120_000 },
      );
      clearInterval(sampling);
      expect(result).toMatchObject({ exitCode: 0, stderr: 'done\n' });
      expect(result.stdout.startsWith('first\n0123456789\n')).toBe(true);
      expect(result.stdout.endsWith('\nlast\n')).toBe(true);
      expect(result.stdout).toMatch(/\[\.\.\. \d+ bytes of output were dropped here \.\.\.\]/);
      expect(result.stdout.length).toBeLessThan(10 * 1024 * 1024 + 200);
      expect(result.droppedBytes).toBeGreaterThan(bytes - 11 * 1024 * 1024);
      expect((peak - before) / 1024 ** 2).toBeLessThan(200);
    });
  }, 150_000);

  test('that is not UTF-8 is decoded safely, and characters in two pieces stay whole', async () => {
    await withWorkspace({}, async ({ env }) => {
      const split = String.raw`printf '\xe2\x82'; printf 'between' >&2; sleep 0.1; printf '\xac'; printf '\xff\xfe!'`;
      const result = await env.execCommand(split);
      expect(result.stdout).toBe('€\ufffd\ufffd!');
      expect(result.stderr).toBe('between');
      expect(result.output.split('€')).toHaveLength(2);
    });
  });

  test('that is UTF-16 is text: with a mark in either order, without one, behind and before other output', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      const text = Buffer.from('Fehler: größe 語\r\n', 'utf16le');
      const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), text]);
      await put('workspace/le', marked);
      await put('workspace/be', Buffer.from(marked).swap16());
      await put('workspace/plain', Buffer.from('PASS one\r\n', 'utf16le'));
      const wait = 'sleep 0.1';
      const { stdout, stderr } = await env.execCommand(
        `cat le; printf 'start\\n' >&2; cat be >&2; ${wait}; echo done; ${wait}; cat plain; ${wait}; head -c 9 plain; ${wait}; tail -c +10 plain`,
      );
      expect(stdout).toBe('Fehler: größe 語\r\ndone\nPASS one\r\nPASS one\r\n');
      expect(stderr).toBe('start\nFehler: größe 語\r\n');
    });
  });

  test('is shown as it arrives, and a listener that throws does no harm', async () => {
    await withWorkspace({}, async ({ env }) => {
      const seen: string[] = [];
      await env.execCommand('echo a; echo b >&2', {
        onOutput: ({ stream, text }) => void seen.push(stream + text),
      });
      expect(seen.toSorted()).toEqual(['stderrb\n', 'stdouta\n']);
      const result = await env.execCommand('echo a', {
        onOutput: () => {
          throw new Error('listener');
        },
      });
      expect(result.stdout).toBe('a\n');
    });
  });
});

describe('the end', () => {
  test('does not wait for a background child, and the child is gone afterwards', async () => {
    await withWorkspace({}, async ({ env }) => {
      const result = await env.execCommand('sleep 100 & echo $!');
      expect(result.durationMs).toBeLessThan(20_000);
      expect(result.exitCode).toBe(0);
      expect(await isAlive(Number(result.stdout))).toBe(false);
    });
  });

  test('finds a child that left the process group', async () => {
    await withWorkspace({}, async ({ env }) => {
      const child = 'setsid sh -c "echo \\$\\$ > pid; exec sleep 100"';
      const result = await env.execCommand(`${child} & until [ -s pid ]; do sleep 0.02; done; cat pid`);
      expect(result.stdout).toMatch(/^\d+\n$/u);
      expect(await isAlive(Number(result.stdout))).toBe(false);
    });
  });

  test('of cleanup is the end of children that also let go of the pipes', async () => {
    await withWorkspace({}, async ({ env, workspace }) => {
      await env.execCommand('setsid sh -c "echo \\$\\$ > pid; exec sleep 100" >/dev/null 2>&1 & sleep 0.2');
      const pid = Number((await env.readFile('pid')).text);
      expect(workspace).not.toBe('');
      await env.cleanup();
      expect(await isAlive(pid)).toBe(false);
    });
  });

  test('by timeout is SIGTERM first, so that a command can end in order', async () => {
    await withWorkspace({}, async ({ env }) => {
      const result = await env.execCommand('trap "echo bye; exit 0" TERM; sleep 50 & wait', {
        timeoutMs: 300,
      });
      expect(result).toMatchObject({ timedOut: true, aborted: false, exitCode: null, signal: 'SIGTERM' });
      expect(result.stdout).toBe('bye\n');
      expect(result.durationMs).toBeLessThan(20_000);
    });
  });

  test('by timeout does not come at once, however long the timeout is', async () => {
    await withWorkspace({}, async ({ env }) => {
      const result = await env.execCommand('sleep 0.1; echo done', { timeoutMs: 3e9 });
      expect(result).toMatchObject({ timedOut: false, exitCode: 0, stdout: 'done\n' });
    });
  });

  test('of a command that ignores SIGTERM comes two seconds later', async () => {
    await withWorkspace({}, async ({ env }) => {
      const result = await env.execCommand('trap "" TERM; echo $$; while true; do sleep 0.1; done', {
        timeoutMs: 200,
      });
      expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL' });
      expect(result.durationMs).toBeGreaterThan(2000);
      expect(result.durationMs).toBeLessThan(20_000);
      expect(await isAlive(Number(result.stdout))).toBe(false);
    });
  });

  test('by abort ends the whole group, and the first reason counts', async () => {
    await withWorkspace({}, async ({ env }) => {
      const controller = new AbortController();
      const result = await env.execCommand('sleep 100 & echo $!; wait', {
        signal: controller.signal,
        timeoutMs: 10_000,
        onOutput: () => controller.abort(),
      });
      expect(result).toMatchObject({ aborted: true, timedOut: false, exitCode: null });
      expect(await isAlive(Number(result.stdout))).toBe(false);
      expect(await env.execCommand('true', { signal: controller.signal })).toMatchObject({ aborted: true });
    });
  });

  test('of the environment ends what still runs', async () => {
    await withWorkspace({}, async ({ env }) => {
      let started = (): void => undefined;
      const running = new Promise<void>((resolve) => {
        started = resolve;
      });
      const result = env.execCommand('echo started; sleep 100', { onOutput: () => started() });
      await running;
      await env.cleanup();
      expect(await result).toMatchObject({ aborted: true });
    });
  });
});

describe('the environment of commands', () => {
  test('has no secrets, none of the worker’s settings, and a scratch home', async () => {
    Object.assign(process.env, {
      DEPLOY_KEY: 'hunter2',
      SIDECAR_HUB_TOKEN: 'hunter2',
      OLLAMA_HOST: 'hunter2',
    });
    try {
      await withWorkspace({ environment: { CI: '1' } }, async ({ env }) => {
        const { stdout } = await env.execCommand('env; ls -a "$HOME" "$TMPDIR"');
        expect(stdout).not.toContain('hunter2');
        expect(stdout).toContain('CI=1');
        expect(stdout).toContain(`PATH=${process.env.PATH}`);
        expect(stdout).not.toContain(`HOME=${process.env.HOME}\n`);
      });
    } finally {
      delete process.env.DEPLOY_KEY;
      delete process.env.SIDECAR_HUB_TOKEN;
      delete process.env.OLLAMA_HOST;
    }
  });

  test('is that of a continuous integration whose user has a name, however the worker itself runs', async () => {
    Object.assign(process.env, { NODE_ENV: 'production', RAILS_ENV: 'production', COLUMNS: '20' });
    await withWorkspace({}, async ({ env }) => {
      const { stdout } = await env.execCommand(
        `echo "$CI-$NODE_ENV$RAILS_ENV$COLUMNS"; git init -q a; cd a; echo 1 > ä; git add .; git commit -qm one; git show --format='%an %D' --name-only
        git config user.name me; git commit -q --allow-empty -m two; git log -1 --format=%an`,
      );
      expect(stdout).toBe('true-\nollama-sidecar HEAD -> main\n\nä\nme\n');
    });
  });

  test('has no open descriptor but the three of its own', async () => {
    await withWorkspace({}, async ({ env }) => {
      const { stdout } = await env.execCommand('for fd in /proc/$$/fd/*; do readlink $fd; done');
      const opened = stdout.trim().split('\n');
      expect(opened.filter((target) => !target.startsWith('socket:') && target !== '/dev/null')).toEqual([]);
    });
  });
});

test('what can only fail is refused early with a reason', async () => {
  await withWorkspace({}, async ({ env }) => {
    await expect(env.execCommand('cd /tmp && sudo rm -r x')).rejects.toMatchObject({
      code: 'COMMAND_DENIED',
      message: expect.stringContaining('without sudo'),
    });
  });
});
