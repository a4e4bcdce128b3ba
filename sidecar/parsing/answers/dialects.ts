/**
 * Table of the dialects in which models write calls between marks. Each row has the opening mark, the closing
 * marks, and the readers of the body. A longer mark comes before a shorter mark that is its prefix. A new
 * model family is a new row.
 */
import type { BodyReader, Dialect } from './bodies/body.ts';
import { createElementsBody, createPairsBody, readToolUseBody } from './bodies/elements.ts';
import { readJsonBody, createNamedBody } from './bodies/literals.ts';
import { readPythonBody } from './bodies/python.ts';

const functionElements = createElementsBody('qwen3-coder', 'function');
const invokeElements = createElementsBody('minimax-m2', 'invoke');
const dsmlElements = createElementsBody('deepseek-dsml', 'invoke', { prefix: '｜DSML｜' });
/** MiniMax M3 writes a mark in front of each of its tags, so values may contain any other tags. */
const minimaxMark = ']<]minimax[>[';
const minimaxM3 = createElementsBody('minimax-m3', 'invoke', { before: minimaxMark });

/** Reads `NAME[ARGS]{…}`, with an optional `[CALL_ID]x` before the arguments. */
const mistralCalls = createNamedBody(
  /\s*(?<name>[\w.\-:]+)\s*(?:\[CALL_ID\]\s*(?<id>[\w-]+)\s*)?(?:\[ARGS\]|(?=\{))/y,
);
/** Reads `functions.NAME:0`, which is also the call's id. */
const kimiCall = createNamedBody(
  /\s*(?<name>(?<id>[^\s<]+:\d{1,9})(?=\s*<)|[^\s<]+)\s*<\|tool_call_argument_begin\|>/y,
);
/** Reads `commentary to=functions.NAME <|constrain|>json<|message|>{…}`. Messages without `to=` are prose. */
const harmonyCall = createNamedBody(
  /<\|channel\|>[^{<]{0,100}?\bto=(?<name>[\w.:-]+)[^{]{0,100}?<\|message\|>/y,
);
/** Reads `call:NAME{k:<|"|>text<|"|>,n:1}`, with `textMark` around texts; the name may have a prefix `default_api:`. */
const createGemmaBody = (textMark: string): BodyReader =>
  createNamedBody(/\s*call:\s*(?<name>(?:[\w.-]+:)?[\w.\\-]+)\s*(?=\{)/y, { textMark });
/** Reads `NAME{…}`, with the name on the same line or the line before. */
const createNameAndJsonBody = (family?: string): BodyReader =>
  createNamedBody(/\s*(?<name>[\w.-]+)\s*(?:<tool_sep>\s*)?(?=\{)/y, { family });
/**
 * Returns readers of `function<separator>NAME` and `NAME<separator>`. The text before the separator decides
 * which of them applies.
 */
const createSeparatedBodies = (separator: string): BodyReader[] => {
  const before = new RegExp(`\\s*function\\s*${separator}\\s*(?<name>[^\\s{<\`]+)`, 'y');
  const name = new RegExp(`\\s*(?!function\\s*<)(?<name>[^\\s<]+)\\s*${separator}`, 'y');
  return [
    createNamedBody(before, { family: 'deepseek-v3' }),
    createNamedBody(name, { family: 'deepseek-v3.1' }),
  ];
};
/** Reads JSON calls. Prompts also list the tools between this mark, so text without calls is no body. */
const readCallsOnly: BodyReader = (context, at, dialect) => {
  const reading = readJsonBody(context, at, dialect);
  return reading && reading.calls.length > 0 ? reading : undefined;
};

function buildRow(family: string, open: string, close: readonly string[], ...bodies: BodyReader[]): Dialect {
  return { family, open, close, bodies };
}
/** Makes a row whose opening mark is the first tag of the body. */
const buildTagRow = (...columns: Parameters<typeof buildRow>): Dialect => ({
  ...buildRow(...columns),
  readsMark: true,
});
/** Makes a row whose marks may also enclose blocks of other rows. */
const buildWrapperRow = (...columns: Parameters<typeof buildRow>): Dialect => ({
  ...buildRow(...columns),
  wraps: true,
});

/** Readers for a mark that many models were trained with, each with its own form of body. */
const commonBodies = [
  readJsonBody,
  functionElements,
  invokeElements,
  createPairsBody('glm'),
  createNameAndJsonBody('glm'),
  readPythonBody,
];
const deepseekEnds = '<｜tool▁call▁end｜> <｜tool▁calls▁end｜> <|tool▁call▁end|> <|tool▁calls▁end|>'.split(
  ' ',
);
const dsmlEnds = ['</｜DSML｜function_calls>', '</｜DSML｜tool_calls>'];
const kimiEnds = ['<|tool_call_end|>', '<|tool_calls_section_end|>'];

export const dialects: readonly Dialect[] = [
  buildRow('hermes', '<tool_call>', ['</tool_call>'], ...commonBodies),
  buildWrapperRow('tool-calls', '<tool_calls>', ['</tool_calls>'], readJsonBody, invokeElements),
  buildTagRow('qwen3-coder', '<function=', ['</tool_call>'], functionElements),
  buildTagRow('qwen3-coder', '<function name=', ['</tool_call>'], functionElements),
  buildRow(
    'seed-oss',
    '<seed:tool_call>',
    ['</seed:tool_call>'],
    createElementsBody('seed-oss', 'function'),
    readJsonBody,
  ),
  buildRow('llama3', '<|python_tag|>', ['<|eom_id|>', '<|eot_id|>'], readJsonBody, readPythonBody),
  buildRow('llama4', '<|python_start|>', ['<|python_end|>'], readPythonBody, readJsonBody),
  buildRow('lfm2', '<|tool_call_start|>', ['<|tool_call_end|>'], readPythonBody, readJsonBody),
  buildWrapperRow(
    'olmo3',
    '<function_calls>',
    ['</function_calls>'],
    readPythonBody,
    readJsonBody,
    invokeElements,
  ),
  buildRow('mistral', '[TOOL_CALLS]', [], readJsonBody, mistralCalls),
  buildWrapperRow('deepseek', '<｜tool▁calls▁begin｜>', ['<｜tool▁calls▁end｜>']),
  buildRow('deepseek', '<｜tool▁call▁begin｜>', deepseekEnds, ...createSeparatedBodies('<｜tool▁sep｜>')),
  buildWrapperRow('deepseek', '<|tool▁calls▁begin|>', ['<|tool▁calls▁end|>']),
  buildRow('deepseek', '<|tool▁call▁begin|>', deepseekEnds, ...createSeparatedBodies('<\\|tool▁sep\\|>')),
  buildWrapperRow('deepseek-dsml', '<｜DSML｜function_calls>', [dsmlEnds[0] ?? ''], dsmlElements),
  buildWrapperRow('deepseek-dsml', '<｜DSML｜tool_calls>', [dsmlEnds[1] ?? ''], dsmlElements),
  buildTagRow('deepseek-dsml', '<｜DSML｜invoke', dsmlEnds, dsmlElements),
  buildWrapperRow('kimi-k2', '<|tool_calls_section_begin|>', ['<|tool_calls_section_end|>']),
  buildRow('kimi-k2', '<|tool_call_begin|>', kimiEnds, kimiCall),
  buildRow('minimax-m2', '<minimax:tool_call>', ['</minimax:tool_call>'], invokeElements, readJsonBody),
  buildRow('minimax-m3', `${minimaxMark}<tool_call>`, [`${minimaxMark}</tool_call>`], minimaxM3),
  buildTagRow('minimax-m2', '<invoke name=', ['</minimax:tool_call>', '</function_calls>'], invokeElements),
  buildRow('gemma4', '<|tool_call>', ['<tool_call|>'], createGemmaBody('<|"|>')),
  buildRow('functiongemma', '<start_function_call>', ['<end_function_call>'], createGemmaBody('<escape>')),
  buildRow('gemma3', '```tool_code', ['```'], ...commonBodies),
  buildRow('gemma3', '```function_call', ['```'], ...commonBodies),
  buildRow('gemma3', '```tool_call', ['```'], ...commonBodies),
  buildRow('granite3', '<|tool_call|>', ['<|end_of_text|>'], readJsonBody),
  buildRow('granite-20b', '<function_call>', ['</function_call>', '<|endoftext|>'], readJsonBody),
  buildRow('phi4-mini', 'functools[', [], (context, at, dialect) => readJsonBody(context, at - 1, dialect)),
  buildRow('nemotron', '<TOOLCALL>', ['</TOOLCALL>'], readJsonBody),
  buildRow('cohere', '<|START_ACTION|>', ['<|END_ACTION|>'], readJsonBody),
  buildRow('apertus', '<|tools_prefix|>', ['<|tools_suffix|>'], readJsonBody),
  buildRow('internlm2', '<|action_start|><|plugin|>', ['<|action_end|>'], readJsonBody),
  buildRow(
    'longcat',
    '<longcat_tool_call>',
    ['</longcat_tool_call>'],
    readJsonBody,
    createPairsBody('longcat', 'longcat_'),
  ),
  buildRow(
    'gigachat3',
    'function call<|role_sep|>',
    ['<|message_sep|>'],
    readJsonBody,
    createNameAndJsonBody(),
  ),
  buildRow('gigachat3', '<|function_call|>', ['<|message_sep|>'], readJsonBody, createNameAndJsonBody()),
  buildWrapperRow('tool-use', '<tool_use>', ['</tool_use>'], readToolUseBody, readJsonBody),
  buildTagRow('harmony', '<|channel|>', ['<|call|>', '<|end|>'], harmonyCall),
  buildRow('functionary', '>>>', [], createNameAndJsonBody()),
  // Qwen 2.5 Coder often writes the tag in which its prompt lists the tools.
  buildWrapperRow('hermes', '<tools>', ['</tools>'], readCallsOnly),
];

/** Mark in the text, with the row of its dialect. */
export interface DialectMark {
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
export function findMarkAt(text: string, at: number): DialectMark | undefined {
  const candidates = rows.get(text.slice(at, at + 2)) ?? rows.get(text[at] ?? '');
  const found = candidates?.find(({ dialect, offset }) => text.startsWith(dialect.open, at - offset));
  const start = at - (found?.offset ?? 0);
  return found && { dialect: found.dialect, start, end: start + found.dialect.open.length };
}
