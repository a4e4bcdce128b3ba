/**
 * How fast answers are read: plain prose, prose with code, hostile text of 1 MB, and typical tool calls.
 * Every figure is the median of several runs after a warm-up.
 */
import { parseToolCalls } from '../sidecar/model/parsing/parse-tool-calls.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  target?: string;
}

const sizeBytes = 1_000_000;
const repeated = (text: string) => text.repeat(Math.ceil(sizeBytes / text.length)).slice(0, sizeBytes);

const prose = repeated('The quick brown fox jumps over the lazy dog, and then it reads on. ');
const markdown = repeated('- **Item** one with `code`, a [link](http://example.org/x), and a < b.\n');
const hostile: [string, string][] = [
  ['{ repeated', repeated('{')],
  ['[ repeated', repeated('[')],
  ['< repeated', repeated('<')],
  ['{" repeated', repeated('{"')],
  ['{\\" repeated', repeated('{\\"')],
  ['{"name": repeated', repeated('{"name":"shell","arguments":')],
  ['<think> repeated', repeated('<think>')],
  ['<tool_call> repeated', '<tool_call>'.repeat(100_000)],
  ['<tool_call>{ repeated', repeated('<tool_call>{')],
  ['<function=a><parameter=b> repeated', repeated('<function=a><parameter=b>')],
  ["[f(a=' repeated", repeated("[f(a='")],
  ['gemma calls repeated', repeated('<|tool_call>call:a{')],
  ['broken JSON of 32 KiB in prose', `{"name":"shell","a":${'"b" '.repeat(8000)}}${' x'.repeat(480_000)}`],
];
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
    ...hostile.map(([name, text]) => ({
      name: `parser: 1 MB hostile, ${name}`,
      value: medianMs(() => parseToolCalls({ content: text })),
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

function medianMs(run: () => unknown, times = 7): number {
  for (let i = 0; i < 3; i += 1) run();
  const durations = Array.from({ length: times }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return durations.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}
