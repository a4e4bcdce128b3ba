/** The one place that says to the measures of real answers where the parser is. */
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import type { ParsedAnswer } from '../../../sidecar/parsing/answers/parsed-answer.ts';

export { parseToolCalls, type ParsedAnswer };
export type Parse = typeof parseToolCalls;
