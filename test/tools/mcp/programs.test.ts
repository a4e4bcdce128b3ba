/** MCP servers that are programs: honest, slow, crashing and lying ones, all of them real processes. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import { describeWith } from '../../support/requirements.ts';
import { ToolLists } from '../../../sidecar/tools/mcp/tool-lists.ts';
import { server, withServers } from './server-fixture.ts';

const ENDED = 'The MCP server test ended earlier in this task and is not started again';

describe('a server that is a program', () => {
  test('gives its tools under short names, in one order, and they run in the workspace', async () => {
    await withServers([server({ env: { ANSWER: '42' } })], async ({ names, call, env, notes, started }) => {
      expect(names).toEqual(names.toSorted());
      expect(names).toContain('test_echo');
      expect(notes).toEqual([]);
      expect(await call('test_echo', { said: 'hello' })).toMatchObject({
        isError: false,
        output: 'You said hello',
      });
      expect((await call('test_where')).output.trim()).toBe(`${env.workingDirectory} 42`);
      expect((await call('test_echo')).output).toBe('Invalid arguments for test_echo: said is required');
      expect(await started()).toBe(1);
    });
  });

  test('offers only what is asked for, in that order, and says what is not there', async () => {
    const only = ['picture', 'echo', 'nothing'];
    await withServers([server({ only })], ({ names, notes }) => {
      expect(names).toEqual(['test_picture', 'test_echo']);
      expect(notes.join()).toContain('has no tool nothing (tools.mcp.test.only); it has change_list, crash');
      return Promise.resolve();
    });
  });

  test('has a tool with a large schema called by what its first call returns', async () => {
    await withServers([server({ only: ['large'] })], async ({ call, started }) => {
      expect((await call('test_large')).output).toMatch(
        /^Parameters of test_large: .*"required":\["said"\]/u,
      );
      expect(await started()).toBe(1);
      expect(await call('test_large', { said: 'hello' })).toMatchObject({
        isError: false,
        output: 'You said hello',
      });
    });
  });

  test('says what it refuses and what goes wrong', async () => {
    await withServers([server({})], async ({ call }) => {
      expect(await call('test_fail')).toMatchObject({ isError: true, output: 'There is no such thing.' });
      expect((await call('test_refuse')).output).toContain('The MCP server test failed: ');
      expect((await call('test_refuse')).output).toContain('no such tool');
    });
  });

  test('has pictures left out and long texts cut', async () => {
    await withServers([server({})], async ({ call }) => {
      expect((await call('test_picture')).output).toBe('Here:\n[image omitted: image/png, 3 bytes]');
      const { output, fullOutput } = await call('test_long');
      expect(fullOutput.length).toBeGreaterThan(200_000);
      expect(output.length).toBeLessThan(31_000);
      expect(output).toContain('characters were removed from the middle');
    });
  });

  test('that is slow is not waited for, and is asked again when it lives', async () => {
    await withServers([server({ timeoutMs: 4_000 })], async ({ call, started }) => {
      const { output, isError } = await call('test_slow');
      expect(isError).toBe(true);
      expect(output).toContain('did not answer slow within 4000 ms; the server still runs');
      expect((await call('test_echo', { said: 'a' })).output).toBe('You said a');
      expect(await started()).toBe(1);
    });
  });

  test('that hangs for good is ended, also when it ignores SIGTERM', async () => {
    await withServers([server({ args: ['server.mjs', 'stubborn'], timeoutMs: 4_000 })], async ({ call }) => {
      expect((await call('test_slow')).output).toContain('it was stopped, and its tools fail for the rest');
      expect((await call('test_echo', { said: 'a' })).output).toContain(ENDED);
    });
  });

  test('that crashes says how, and is not started again', async () => {
    await withServers([server({})], async ({ call, started }) => {
      expect((await call('test_crash')).output).toContain(
        'The MCP server test ended with exit code 3: the disk is gone',
      );
      expect((await call('test_echo', { said: 'a' })).output).toContain(ENDED);
      expect(await started()).toBe(1);
    });
  });

  test.each<[string, number | undefined, string, string?]>([
    ['test_wrong_shape', undefined, 'sent an invalid answer: content'],
    ['test_other_id', 4_000, 'within 4000 ms (Received a response for an unknown message ID'],
    ['test_huge', undefined, 'sent a message of more than 8 MiB and was stopped', ENDED],
    ['test_flood', undefined, 'sent too much data without a request and was stopped', ENDED],
  ])('that lies is caught: %s', async (name, timeoutMs = 60_000, words, then = 'You said still') => {
    await withServers([server({ timeoutMs })], async ({ call }) => {
      expect(await call(name)).toMatchObject({ isError: true, output: expect.stringContaining(words) });
      expect((await call('test_echo', { said: 'still' })).output).toContain(then);
    });
  });

  test('is stopped with the task', async () => {
    await withServers([server({})], async ({ call }) => {
      const stop = new AbortController();
      const onStart = () => void setImmediate(() => stop.abort());
      expect(await call('test_slow', {}, { signal: stop.signal, onStart })).toMatchObject({
        isError: true,
        output: expect.stringContaining('the task was stopped'),
      });
    });
  });

  test('leaves nothing on the signal of the task, however often it is called', async () => {
    await withServers([server({})], async ({ call }) => {
      const { signal } = new AbortController();
      for (let time = 0; time < 12; time += 1) await call('test_echo', { said: 'a' }, { signal });
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });

  test('whose list changes keeps the tools of the task', async () => {
    await withServers([server({})], async ({ call, names }) => {
      expect((await call('test_change_list')).output).toBe('changed');
      expect(names).not.toContain('test_later');
      expect((await call('test_echo', { said: 'a' })).output).toBe('You said a');
    });
  });

  test.each([
    ['hangs', 1_000, 'did not complete the handshake within 1000 ms'],
    ['dies', 20_000, 'ended with exit code 2: no key is set'],
    ['bad-list', 20_000, 'sent an invalid answer: tools'],
  ])('that begins badly (%s) is told of, and the task goes on', async (mode, timeoutMs, words) => {
    const bad = server({ name: 'bad', args: ['server.mjs', mode], timeoutMs });
    await withServers([bad, server({})], ({ notes, names }) => {
      expect(notes).toEqual([expect.stringContaining(`The MCP server bad ${words}`)]);
      expect(names).toContain('test_echo');
      return Promise.resolve();
    });
  });

  test('that lists what is no tool is left its other tools, and each odd one is named', async () => {
    const odd = server({ args: ['server.mjs', 'odd-list'] });
    await withServers([odd], async ({ notes, names, call }) => {
      expect(names).toEqual(['test_echo']);
      expect(notes).toEqual([
        'The MCP server test lists unusable tools: (number 3) (it has no name), any (its inputSchema is not an object), bare (its inputSchema is not an object)',
      ]);
      expect((await call('test_echo', { said: 'a' })).output).toBe('You said a');
    });
  });

  test('that is not there, says too much or lists without end is borne', async () => {
    const missing = server({ name: 'missing', command: 'no-such-program' });
    const noisy = server({ name: 'noisy', args: ['server.mjs', 'noisy'], only: ['echo'] });
    const endless = server({ name: 'endless', args: ['server.mjs', 'endless-list'] });
    await withServers([missing, noisy, endless], async ({ notes, names, call }) => {
      expect(notes.join()).toContain('The MCP server missing ended with exit code 127');
      expect(names).toEqual(['noisy_echo', 'endless_echo']);
      expect((await call('noisy_echo', { said: 'a' })).output).toBe('You said a');
    });
  });
});

describe('what a server listed', () => {
  test('is known to the next task, which starts it at the first call', async () => {
    const lists = new ToolLists(new ManualClock());
    const first: string[] = [];
    await withServers([server({})], ({ names }) => Promise.resolve(void first.push(...names)), { lists });
    await withServers(
      [server({})],
      async ({ names, call, started }) => {
        expect(names).toEqual(first);
        expect(await started()).toBe(0);
        expect((await call('test_echo', { said: 'a' })).output).toBe('You said a');
        expect(await started()).toBe(1);
      },
      { lists },
    );
  });

  test('is asked for again some minutes after it could not be had', async () => {
    const clock = new ManualClock();
    const lists = new ToolLists(clock);
    const dying = server({ args: ['server.mjs', 'dies'] });
    const startsOf = async (): Promise<number> => {
      let count = 0;
      const look = async ({ started, notes }: { started: () => Promise<number>; notes: string[] }) => {
        expect(notes.join()).toContain('no key is set');
        count = await started();
      };
      await withServers([dying], look, { lists });
      return count;
    };
    expect(await startsOf()).toBe(1);
    expect(await startsOf()).toBe(0);
    await clock.advance(6 * 60_000);
    expect(await startsOf()).toBe(1);
  });
});

describeWith('bubblewrap', 'a server in the sandbox', () => {
  test('sees the workspace, its own variables and none of the worker', async () => {
    process.env.WITHHELD = 'a secret of the worker';
    try {
      await withServers(
        [server({ env: { ANSWER: '42' } })],
        async ({ call, env }) => {
          expect((await call('test_where')).output.trim()).toBe(`${env.workingDirectory} 42`);
          expect((await call('test_crash')).output).toContain('ended with exit code 3: the disk is gone');
        },
        { environment: { sandbox: 'required' } },
      );
    } finally {
      delete process.env.WITHHELD;
    }
  });
});
