/** The one place that says to the measures of real answers where the parser is. */
import { parseToolCalls } from '../../sidecar/model/parsing/parse-tool-calls.ts';
import type { ParsedAnswer } from '../../sidecar/model/parsing/result.ts';

export { parseToolCalls, type ParsedAnswer };
export type Parse = typeof parseToolCalls;
