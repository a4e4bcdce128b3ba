/** How the tests of the parser read an answer, and what stands in many of them. */
import type { ToolDefinition } from '../../../sidecar/model/chat.ts';
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';

/** By title an answer, and how it is read in the words of `formats.test.ts`. */
export type Readings = Record<string, [text: string, reading: string]>;

export const readJson = '{"name": "read_file", "arguments": {"file_path": "a.ts"}}';
export const globJson = '{"name": "glob", "arguments": {"pattern": "*.ts"}}';
const definition = (name: string, properties: object = {}): ToolDefinition => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties } },
});
/** Tools of a task, with schemas that have numbers, lists and truth values in them. */
export const tools = [
  definition('read_file', { file_path: { type: 'string' }, limit: { type: 'integer' } }),
  definition('shell', { command: { type: 'string' }, timeout_ms: { type: 'integer' } }),
  definition('multi_edit', { edits: { type: 'array', items: { type: 'object' } }, dry: { type: 'boolean' } }),
];
/** The names of the calls in an answer, or what it is instead. */
export const names = (content: string, options = {}) => {
  const answer = parseToolCalls({ content }, options);
  return answer.type === 'tool_calls' ? answer.calls.map(({ name }) => name) : answer.type;
};
/** The first of the calls in a message that must have some. */
export const oneCall = (message: Parameters<typeof parseToolCalls>[0], options = {}) => {
  const answer = parseToolCalls(message, options);
  if (answer.type !== 'tool_calls') throw new Error(JSON.stringify(answer));
  return answer.calls[0];
};
/** A message whose only call came natively. */
export const native = (args: unknown, name = 'shell') => ({
  content: '',
  tool_calls: [{ function: { name, arguments: args } }],
});
