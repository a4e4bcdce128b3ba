/**
 * Table of the dialects in which models write calls between marks. Each row has the opening mark, the closing
 * marks, and the readers of the body. A longer mark comes before a shorter mark that is its prefix. A new
 * model family is a new row.
 */
import type { Body, Dialect } from './bodies/body.ts';
import { elementsBody, pairsBody, toolUseBody } from './bodies/elements.ts';
import { jsonBody, namedBody } from './bodies/literals.ts';
import { pythonBody } from './bodies/python.ts';

const functionElements = elementsBody('qwen3-coder', 'function');
const invokeElements = elementsBody('minimax-m2', 'invoke');
const dsml = elementsBody('deepseek-dsml', 'invoke', { prefix: '｜DSML｜' });
/** MiniMax M3 writes a mark in front of each of its tags, so values may contain any other tags. */
const minimaxMark = ']<]minimax[>[';
const minimaxM3 = elementsBody('minimax-m3', 'invoke', { before: minimaxMark });

/** Reads `NAME[ARGS]{…}`, with an optional `[CALL_ID]x` before the arguments. */
const mistralCalls = namedBody(
  /\s*(?<name>[\w.\-:]+)\s*(?:\[CALL_ID\]\s*(?<id>[\w-]+)\s*)?(?:\[ARGS\]|(?=\{))/y,
);
/** Reads `functions.NAME:0`, which is also the call's id. */
const kimiCall = namedBody(
  /\s*(?<name>(?<id>[^\s<]+:\d{1,9})(?=\s*<)|[^\s<]+)\s*<\|tool_call_argument_begin\|>/y,
);
/** Reads `commentary to=functions.NAME <|constrain|>json<|message|>{…}`. Messages without `to=` are prose. */
const harmonyCall = namedBody(/<\|channel\|>[^{<]{0,100}?\bto=(?<name>[\w.:-]+)[^{]{0,100}?<\|message\|>/y);
/** Reads `call:NAME{k:<|"|>text<|"|>,n:1}`, with `textMark` around texts; the name may have a prefix `default_api:`. */
const gemmaCall = (textMark: string): Body =>
  namedBody(/\s*call:\s*(?<name>(?:[\w.-]+:)?[\w.\\-]+)\s*(?=\{)/y, { textMark });
/** Reads `NAME{…}`, with the name on the same line or the line before. */
const nameAndJson = (family?: string): Body =>
  namedBody(/\s*(?<name>[\w.-]+)\s*(?:<tool_sep>\s*)?(?=\{)/y, { family });
/**
 * Returns readers of `function<separator>NAME` and `NAME<separator>`. The text before the separator decides
 * which of them applies.
 */
const separatedBodies = (separator: string): Body[] => {
  const before = new RegExp(`\\s*function\\s*${separator}\\s*(?<name>[^\\s{<\`]+)`, 'y');
  const name = new RegExp(`\\s*(?!function\\s*<)(?<name>[^\\s<]+)\\s*${separator}`, 'y');
  return [namedBody(before, { family: 'deepseek-v3' }), namedBody(name, { family: 'deepseek-v3.1' })];
};
/** Reads JSON calls. Prompts also list the tools between this mark, so text without calls is no body. */
const callsOnly: Body = (context, at, dialect) => {
  const reading = jsonBody(context, at, dialect);
  return reading && reading.calls.length > 0 ? reading : undefined;
};

function row(family: string, open: string, close: readonly string[], ...bodies: Body[]): Dialect {
  return { family, open, close, bodies };
}
/** Makes a row whose opening mark is the first tag of the body. */
const tag = (...columns: Parameters<typeof row>): Dialect => ({ ...row(...columns), readsMark: true });
/** Makes a row whose marks may also enclose blocks of other rows. */
const wrapper = (...columns: Parameters<typeof row>): Dialect => ({ ...row(...columns), wraps: true });

/** Readers for a mark that many models were trained with, each with its own form of body. */
const anyBody = [
  jsonBody,
  functionElements,
  invokeElements,
  pairsBody('glm'),
  nameAndJson('glm'),
  pythonBody,
];
const deepseekEnds = '<｜tool▁call▁end｜> <｜tool▁calls▁end｜> <|tool▁call▁end|> <|tool▁calls▁end|>'.split(
  ' ',
);
const dsmlEnds = ['</｜DSML｜function_calls>', '</｜DSML｜tool_calls>'];
const kimiEnds = ['<|tool_call_end|>', '<|tool_calls_section_end|>'];

export const dialects: readonly Dialect[] = [
  row('hermes', '<tool_call>', ['</tool_call>'], ...anyBody),
  wrapper('tool-calls', '<tool_calls>', ['</tool_calls>'], jsonBody, invokeElements),
  tag('qwen3-coder', '<function=', ['</tool_call>'], functionElements),
  tag('qwen3-coder', '<function name=', ['</tool_call>'], functionElements),
  row('seed-oss', '<seed:tool_call>', ['</seed:tool_call>'], elementsBody('seed-oss', 'function'), jsonBody),
  row('llama3', '<|python_tag|>', ['<|eom_id|>', '<|eot_id|>'], jsonBody, pythonBody),
  row('llama4', '<|python_start|>', ['<|python_end|>'], pythonBody, jsonBody),
  row('lfm2', '<|tool_call_start|>', ['<|tool_call_end|>'], pythonBody, jsonBody),
  wrapper('olmo3', '<function_calls>', ['</function_calls>'], pythonBody, jsonBody, invokeElements),
  row('mistral', '[TOOL_CALLS]', [], jsonBody, mistralCalls),
  wrapper('deepseek', '<｜tool▁calls▁begin｜>', ['<｜tool▁calls▁end｜>']),
  row('deepseek', '<｜tool▁call▁begin｜>', deepseekEnds, ...separatedBodies('<｜tool▁sep｜>')),
  wrapper('deepseek', '<|tool▁calls▁begin|>', ['<|tool▁calls▁end|>']),
  row('deepseek', '<|tool▁call▁begin|>', deepseekEnds, ...separatedBodies('<\\|tool▁sep\\|>')),
  wrapper('deepseek-dsml', '<｜DSML｜function_calls>', [dsmlEnds[0] ?? ''], dsml),
  wrapper('deepseek-dsml', '<｜DSML｜tool_calls>', [dsmlEnds[1] ?? ''], dsml),
  tag('deepseek-dsml', '<｜DSML｜invoke', dsmlEnds, dsml),
  wrapper('kimi-k2', '<|tool_calls_section_begin|>', ['<|tool_calls_section_end|>']),
  row('kimi-k2', '<|tool_call_begin|>', kimiEnds, kimiCall),
  row('minimax-m2', '<minimax:tool_call>', ['</minimax:tool_call>'], invokeElements, jsonBody),
  row('minimax-m3', `${minimaxMark}<tool_call>`, [`${minimaxMark}</tool_call>`], minimaxM3),
  tag('minimax-m2', '<invoke name=', ['</minimax:tool_call>', '</function_calls>'], invokeElements),
  row('gemma4', '<|tool_call>', ['<tool_call|>'], gemmaCall('<|"|>')),
  row('functiongemma', '<start_function_call>', ['<end_function_call>'], gemmaCall('<escape>')),
  row('gemma3', '```tool_code', ['```'], ...anyBody),
  row('gemma3', '```function_call', ['```'], ...anyBody),
  row('gemma3', '```tool_call', ['```'], ...anyBody),
  row('granite3', '<|tool_call|>', ['<|end_of_text|>'], jsonBody),
  row('granite-20b', '<function_call>', ['</function_call>', '<|endoftext|>'], jsonBody),
  row('phi4-mini', 'functools[', [], (context, at, dialect) => jsonBody(context, at - 1, dialect)),
  row('nemotron', '<TOOLCALL>', ['</TOOLCALL>'], jsonBody),
  row('cohere', '<|START_ACTION|>', ['<|END_ACTION|>'], jsonBody),
  row('apertus', '<|tools_prefix|>', ['<|tools_suffix|>'], jsonBody),
  row('internlm2', '<|action_start|><|plugin|>', ['<|action_end|>'], jsonBody),
  row('longcat', '<longcat_tool_call>', ['</longcat_tool_call>'], jsonBody, pairsBody('longcat', 'longcat_')),
  row('gigachat3', 'function call<|role_sep|>', ['<|message_sep|>'], jsonBody, nameAndJson()),
  row('gigachat3', '<|function_call|>', ['<|message_sep|>'], jsonBody, nameAndJson()),
  wrapper('tool-use', '<tool_use>', ['</tool_use>'], toolUseBody, jsonBody),
  tag('harmony', '<|channel|>', ['<|call|>', '<|end|>'], harmonyCall),
  row('functionary', '>>>', [], nameAndJson()),
  // Qwen 2.5 Coder often writes the tag in which its prompt lists the tools.
  wrapper('hermes', '<tools>', ['</tools>'], callsOnly),
];

/** Mark in the text, with the row of its dialect. */
export interface Mark {
  dialect: Dialect;
  start: number;
  end: number;
}

/** Rows by the first two characters of their mark that the scan stops at. */
const rows = new Map<string, { dialect: Dialect; offset: number }[]>();
for (const dialect of dialects) {
  const offset = Math.max(0, dialect.open.search(/[<[]/));
  const key = dialect.open.slice(offset, offset + 2);
  rows.set(key, [...(rows.get(key) ?? []), { dialect, offset }]);
}
/** Returns the mark whose bracket (or first character) is at `at`. */
export function markAt(text: string, at: number): Mark | undefined {
  const candidates = rows.get(text.slice(at, at + 2)) ?? rows.get(text[at] ?? '');
  const found = candidates?.find(({ dialect, offset }) => text.startsWith(dialect.open, at - offset));
  const start = at - (found?.offset ?? 0);
  return found && { dialect: found.dialect, start, end: start + found.dialect.open.length };
}
