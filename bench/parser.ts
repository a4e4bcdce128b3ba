/**
 * How fast answers are read: plain prose, prose with code, hostile text of 1 MB, and typical tool calls.
 * Every figure is the median of several runs after a warm-up.
 */
import { parseToolCalls } from '../sidecar/answers/parse-answer.ts';
import { hostileTexts } from '../test/answers/hostile.cases.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  target?: string;
}

const sizeBytes = 1_000_000;
const SHOWN_KINDS = 10;
const repeated = (text: string) => text.repeat(Math.ceil(sizeBytes / text.length)).slice(0, sizeBytes);

const prose = repeated('The quick brown fox jumps over the lazy dog, and then it reads on. ');
const markdown = repeated('- **Item** one with `code`, a [link](http://example.org/x), and a < b.\n');
const typical: [string, string][] = [
  ['hermes', '<tool_call>\n{"name": "read_file", "arguments": {"file_path": "src/main.ts"}}\n</tool_call>'],
  [
    'qwen3-coder',
    '<tool_call>\n<function=read_file>\n<parameter=file_path>\nsrc/main.ts\n</parameter>\n</function>\n</tool_call>',
  ],
  ['bare JSON', '{"name": "read_file", "arguments": {"file_path": "src/main.ts"}}'],
  ['repaired JSON', "{'name': 'read_file', 'arguments': {'file_path': 'src/main.ts',}}"],
];

export async function bench(): Promise<Figure[]> {
  const throughput = (text: string) =>
    sizeBytes / 1e6 / (medianMs(() => parseToolCalls({ content: text })) / 1000);
  return [
    { name: 'parser: plain prose', value: throughput(prose), unit: 'MB/s', target: '> 100' },
    { name: 'parser: prose in Markdown', value: throughput(markdown), unit: 'MB/s', target: '> 100' },
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
  ];
}

/** The slowest kinds of hostile text, of all that the tests know. */
function slowest(): { name: string; ms: number }[] {
  const all = hostileTexts.map(([name, content]) => ({
    name: name.replaceAll('\n', '\\n').slice(0, 50),
    ms: medianMs(() => parseToolCalls({ content }), 3),
  }));
  return all.sort((a, b) => b.ms - a.ms).slice(0, SHOWN_KINDS);
}

function medianMs(run: () => unknown, times = 7): number {
  for (let i = 0; i < 3; i += 1) run();
  const durations = Array.from({ length: times }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return durations.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}
