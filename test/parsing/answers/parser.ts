/** The one place that says to the measures of real answers where the parser is. */
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import type { ParsedAnswer } from '../../../sidecar/parsing/answers/result.ts';

export { parseToolCalls, type ParsedAnswer };
export type Parse = typeof parseToolCalls;
