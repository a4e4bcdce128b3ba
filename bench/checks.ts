/**
 * How long a result takes after the last change: commit, checks on a clean copy, and the look at their files, as a multiple of
 * the check's own time. In the sandbox, on a repository of 200 files, with and without a changed test.
 */
import { OllamaExecutor } from '../sidecar/solving/executors/ollama-executor.ts';
import { startScriptedModel } from '../sidecar/model/scripted/server.ts';
import { prepared } from '../test/workspace/prepared.ts';
import { cleanUp, repository } from '../test/workspace/repositories.ts';
import { median, type Figure } from './support/measure.ts';

const RUNS = 3;
const CHECK_SECONDS = [0.2, 3];
const CHANGES = {
  'a source changed': "sed -i 's/a - b/a + b/' sum.js",
  'a test changed too': "sed -i 's/a - b/a + b/' sum.js; echo '// more' >> test/sum.test.js",
};

const filesFor = (seconds: number): Record<string, string> => ({
  'check.sh': `sleep ${seconds}\n[ "$(node -p 'require("./sum.js")(1, 2)')" = 3 ]\n`,
  'sum.js': 'module.exports = (a, b) => a - b;\n',
  'test/sum.test.js': "require('assert').equal(require('../sum.js')(1, 2), 3);\n",
  ...Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`lib/part${at}.js`, `exports.value = ${at};\n`]),
  ),
});

export async function bench(): Promise<Figure[]> {
  const figures: Figure[] = [];
  try {
    for (const seconds of CHECK_SECONDS)
      for (const [name, command] of Object.entries(CHANGES)) {
        const ran: Timing[] = [];
        // The first one reads the files from the disk.
        for (let run = 0; run <= RUNS; run += 1) ran.push(await timeTo(command, seconds));
        const times = (timing: Timing): number => timing.resultMs / timing.checkMs;
        const rest = ran.slice(1);
        figures.push({
          name: `checks: ${seconds} s, ${name}: last change to the result`,
          value: median(rest.map(times)),
          unit: '× the check',
          target: '< 1.2',
          note: `${Math.round(median(rest.map(({ resultMs }) => resultMs)))} ms`,
        });
      }
  } finally {
    cleanUp();
  }
  return figures;
}

interface Timing {
  resultMs: number;
  /** The check's own time, as the report of the work has it. */
  checkMs: number;
}

async function timeTo(command: string, seconds: number): Promise<Timing> {
  const server = await startScriptedModel({
    scenario: {
      models: [{ name: 'm' }],
      turns: [
        { reply: { tool_calls: [{ name: 'shell', arguments: { command } }] } },
        { reply: { content: 'Done.' }, repeat: 'always' },
      ],
    },
  });
  const workspace = await prepared({ task_id: 't1', repo: repository(filesFor(seconds)) });
  let changedMs = 0;
  try {
    const executor = new OllamaExecutor({
      config: { solving: { strategy: 'loop' }, sandbox: { mode: 'required' } },
    });
    const result = await executor.execute(
      {
        task_id: 't1',
        description: 'sum subtracts; make it add',
        agentic: true,
        routing_decision: { selected_model: 'm' },
        verification_steps: [{ type: 'command_succeeds', target: 'sh check.sh' }],
      },
      { workspace, ollama_url: server.url },
      ({ event_type, phase }) => {
        if (event_type === 'tool_call' && phase === 'finished') changedMs = performance.now();
      },
    );
    const resultMs = performance.now() - changedMs;
    if (result.verification_status !== 'verified') throw new Error(JSON.stringify(result.verification_notes));
    return { resultMs, checkMs: result.verification_report?.duration_ms ?? 0 };
  } finally {
    await server.close();
  }
}
