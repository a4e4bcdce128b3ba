/**
 * How answers are read: the real material beside the clone, counted (see test/parsing/answers/real/material.ts), and how fast: plain
 * prose, prose with code, hostile text of 1 MB, typical tool calls. Every time is the median of several runs after a warm-up.
 * With `--against CHECKOUT` that checkout's parser is measured too, in the same process and in turns.
 */
import { pathToFileURL } from 'node:url';
import { parseToolCalls, type Parse } from '../test/parsing/answers/parser.ts';
import { readAgentSteps, readModelAnswers, sharedFolder } from '../test/parsing/answers/real/material.ts';
import { hostileTexts } from '../test/parsing/answers/hostile.cases.ts';
import { median, type Figure, type Table } from './support/measure.ts';
import { answerTable, stepTable, type Parsers } from './support/parser-tables.ts';

type Answer = Parameters<Parse>;

const sizeBytes = 1_000_000;
const SHOWN_KINDS = 10;
const repeated = (text: string) => text.repeat(Math.ceil(sizeBytes / text.length)).slice(0, sizeBytes);

const prose = repeated('The quick brown fox jumps over the lazy dog, and then it reads on. ');
const markdown = repeated('- **Item** one with `code`, a [link](http://example.org/x), and a < b.\n');
const largeCall = JSON.stringify({
  name: 'write_file',
  arguments: { file_path: 'a.ts', content: repeated('const text = "a \\"quoted\\" line";\n') },
});
const typical: [string, string][] = [
  ['hermes', '<tool_call>\n{"name": "read_file", "arguments": {"file_path": "src/main.ts"}}\n</tool_call>'],
  [
    'qwen3-coder',
    '<tool_call>\n<function=read_file>\n<parameter=file_path>\nsrc/main.ts\n</parameter>\n</function>\n</tool_call>',
  ],
  ['bare JSON', '{"name": "read_file", "arguments": {"file_path": "src/main.ts"}}'],
  ['repaired JSON', "{'name': 'read_file', 'arguments': {'file_path': 'src/main.ts',}}"],
];

export async function bench(): Promise<{ figures: Figure[]; tables: Table[] }> {
  const before = await parserOfOtherCheckout();
  const shared = sharedFolder();
  const answers = shared === undefined ? [] : readModelAnswers(shared);
  const parsers = [...(before ? [before] : []), parseToolCalls];
  return {
    figures: [
      ...throughputs(shared).flatMap(([what, texts, target]) =>
        throughput(parsers, texts).map((value, index) => ({
          name: `${index < parsers.length - 1 ? 'parser before' : 'parser'}: ${what}`,
          value,
          unit: 'MB/s',
          ...(target && { target }),
        })),
      ),
      ...slowest().map(({ name, ms }) => ({
        name: `parser: 1 MB hostile, ${name}`,
        value: ms,
        unit: 'ms',
        target: '< 100',
      })),
      ...typical.map(([name, text]) => ({
        name: `parser: one call, ${name}`,
        value: medianMs(() => parseToolCalls({ content: text }), 2000) * 1000,
        unit: 'µs',
      })),
      ...(shared === undefined
        ? [
            {
              name: 'parser: real answers',
              value: null,
              unit: '',
              note: 'the material is not there (SHARED_DIR, or shared/ beside the clone)',
            },
          ]
        : []),
    ],
    tables: shared === undefined ? [] : [stepTable(shared, parsers), answerTable(answers, parsers)],
  };
}

async function parserOfOtherCheckout(): Promise<Parse | undefined> {
  const path = process.env.BENCH_AGAINST;
  if (path === undefined) return undefined;
  const module = (await import(pathToFileURL(path).href)) as { parseToolCalls: Parse };
  return module.parseToolCalls;
}

/** What is read, as messages with their options, and what the specification wants. */
function throughputs(shared: string | undefined): [what: string, answers: Answer[], target?: string][] {
  const alone = (content: string): Answer[] => [[{ content }]];
  const real: [string, Answer[]][] =
    shared === undefined
      ? []
      : [
          [
            'the answers of many models',
            readModelAnswers(shared).map(({ text, tools }) => [{ content: text }, { tools }]),
          ],
          [
            'what an agent wrote, in one answer',
            alone(
              repeated(
                readAgentSteps(shared)
                  .map(({ prose }) => `${prose}\n\n`)
                  .join(''),
              ),
            ),
          ],
        ];
  return [
    ['plain prose', alone(prose), '> 100'],
    ['prose in Markdown', alone(markdown), '> 100'],
    ['a call with 1 MB of arguments', alone(`I write it.\n<tool_call>\n${largeCall}\n</tool_call>`)],
    ['the same, bare', alone(largeCall)],
    ...real,
  ];
}

/** Of each parser; they take turns, so that what else the machine does slows all of them. */
function throughput(parsers: Parsers, answers: readonly Answer[]): number[] {
  const texts = answers.map(([message]) => (message as { content: string }).content);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const runs = parsers.map((parse) => () => {
    for (const answer of answers) parse(...answer);
  });
  return mediansMs(runs).map((ms) => bytes / 1e6 / (ms / 1000));
}

/** The slowest kinds of hostile text, of all that the tests know. */
function slowest(): { name: string; ms: number }[] {
  const all = hostileTexts(1_000_000).map(([name, content]) => ({
    name: name.replaceAll('\n', '\\n').slice(0, 50),
    ms: medianMs(() => parseToolCalls({ content }), 3),
  }));
  return all.sort((a, b) => b.ms - a.ms).slice(0, SHOWN_KINDS);
}

const medianMs = (run: () => unknown, times?: number): number => mediansMs([run], times)[0] ?? 0;

function mediansMs(runs: readonly (() => unknown)[], times = 7): number[] {
  for (let i = 0; i < 3; i += 1) for (const run of runs) run();
  const rounds = Array.from({ length: times }, () =>
    runs.map((run) => {
      const started = performance.now();
      run();
      return performance.now() - started;
    }),
  );
  return runs.map((_, index) => median(rounds.map((round) => round[index] ?? 0)));
}
