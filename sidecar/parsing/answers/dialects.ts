/**
 * Table of the dialects in which models write calls between marks. Each row has the opening mark, the closing
 * marks, and the readers of the body. A longer mark comes before a shorter mark that is its prefix. A new
 * model family is a new row.
 */
import type { BodyReader, Dialect } from './bodies/body-reader.ts';
import { createElementsBody, createPairsBody, readToolUseBody } from './bodies/elements.ts';
import { readJsonBody, createNamedBody } from './bodies/literals.ts';
import { readPythonBody } from './bodies/python-calls.ts';

const functionElements = createElementsBody('qwen3-coder', 'function');
const invokeElements = createElementsBody('minimax-m2', 'invoke');
const dsmlElements = createElementsBody('deepseek-dsml', 'invoke', { prefix: '｜DSML｜' });
/** Mark that MiniMax M3 writes in front of each of its tags, so that values may contain any other tags. */
const minimaxMark = ']<]minimax[>[';
const minimaxM3 = createElementsBody('minimax-m3', 'invoke', { tagMark: minimaxMark });

/** Reads calls of Mistral, `NAME[ARGS]{…}`, with an optional `[CALL_ID]x` before the arguments. */
const mistralCalls = createNamedBody(
  /\s*(?<name>[\w.\-:]+)\s*(?:\[CALL_ID\]\s*(?<id>[\w-]+)\s*)?(?:\[ARGS\]|(?=\{))/y,
);
/** Reads calls of Kimi. The name, such as `functions.NAME:0`, is also the call's id. */
const kimiCall = createNamedBody(
  /\s*(?<name>(?<id>[^\s<]+:\d{1,9})(?=\s*<)|[^\s<]+)\s*<\|tool_call_argument_begin\|>/y,
);
/** Reads calls of Harmony, `commentary to=functions.NAME <|constrain|>json<|message|>{…}`. Messages without `to=` are prose. */
const harmonyCall = createNamedBody(
  /<\|channel\|>[^{<]{0,100}?\bto=(?<name>[\w.:-]+)[^{]{0,100}?<\|message\|>/y,
);
/**
 * Returns a reader of Gemma's calls, `call:NAME{k:<|"|>text<|"|>,n:1}`. `textMark`: mark around texts. The name may have a prefix
 * `default_api:`.
 */
const createGemmaBody = (textMark: string): BodyReader =>
  createNamedBody(/\s*call:\s*(?<name>(?:[\w.-]+:)?[\w.\\-]+)\s*(?=\{)/y, { textMark });
/** Returns a reader of `NAME{…}`, with the name on the same line as its arguments or on the line before. */
const createNameAndJsonBody = (family?: string): BodyReader =>
  createNamedBody(/\s*(?<name>[\w.-]+)\s*(?:<tool_sep>\s*)?(?=\{)/y, { family });
/**
 * Returns readers of `function<separator>NAME` and of `NAME<separator>`. The text before the separator determines which of the two applies.
 */
const createSeparatedBodies = (separator: string): BodyReader[] => {
  const afterWord = new RegExp(`\\s*function\\s*${separator}\\s*(?<name>[^\\s{<\`]+)`, 'y');
  const beforeSeparator = new RegExp(`\\s*(?!function\\s*<)(?<name>[^\\s<]+)\\s*${separator}`, 'y');
  return [
    createNamedBody(afterWord, { family: 'deepseek-v3' }),
    createNamedBody(beforeSeparator, { family: 'deepseek-v3.1' }),
  ];
};
/** Reads JSON calls between a mark with which prompts also list the tools. Text without calls is therefore no body. */
const readCallsOnly: BodyReader = (context, offset, dialect) => {
  const reading = readJsonBody(context, offset, dialect);
  return reading && reading.calls.length > 0 ? reading : undefined;
};

function buildDialect(
  family: string,
  openMark: string,
  closeMarks: readonly string[],
  ...bodyReaders: BodyReader[]
): Dialect {
  return { family, openMark, closeMarks, bodyReaders };
}
/** Builds a row of the table whose opening mark is the first tag of the body. */
const buildTagDialect = (...columns: Parameters<typeof buildDialect>): Dialect => ({
  ...buildDialect(...columns),
  isMarkInBody: true,
});
/** Builds a row of the table whose marks may also enclose blocks of other rows. */
const buildWrapperDialect = (...columns: Parameters<typeof buildDialect>): Dialect => ({
  ...buildDialect(...columns),
  mayWrapDialects: true,
});

/** Body readers for a mark with which many models were trained. Each reads another form of body. */
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
  buildDialect('hermes', '<tool_call>', ['</tool_call>'], ...commonBodies),
  buildWrapperDialect('tool-calls', '<tool_calls>', ['</tool_calls>'], readJsonBody, invokeElements),
  buildTagDialect('qwen3-coder', '<function=', ['</tool_call>'], functionElements),
  buildTagDialect('qwen3-coder', '<function name=', ['</tool_call>'], functionElements),
  buildDialect(
    'seed-oss',
    '<seed:tool_call>',
    ['</seed:tool_call>'],
    createElementsBody('seed-oss', 'function'),
    readJsonBody,
  ),
  buildDialect('llama3', '<|python_tag|>', ['<|eom_id|>', '<|eot_id|>'], readJsonBody, readPythonBody),
  buildDialect('llama4', '<|python_start|>', ['<|python_end|>'], readPythonBody, readJsonBody),
  buildDialect('lfm2', '<|tool_call_start|>', ['<|tool_call_end|>'], readPythonBody, readJsonBody),
  buildWrapperDialect(
    'olmo3',
    '<function_calls>',
    ['</function_calls>'],
    readPythonBody,
    readJsonBody,
    invokeElements,
  ),
  buildDialect('mistral', '[TOOL_CALLS]', [], readJsonBody, mistralCalls),
  buildWrapperDialect('deepseek', '<｜tool▁calls▁begin｜>', ['<｜tool▁calls▁end｜>']),
  buildDialect('deepseek', '<｜tool▁call▁begin｜>', deepseekEnds, ...createSeparatedBodies('<｜tool▁sep｜>')),
  buildWrapperDialect('deepseek', '<|tool▁calls▁begin|>', ['<|tool▁calls▁end|>']),
  buildDialect('deepseek', '<|tool▁call▁begin|>', deepseekEnds, ...createSeparatedBodies('<\\|tool▁sep\\|>')),
  buildWrapperDialect('deepseek-dsml', '<｜DSML｜function_calls>', [dsmlEnds[0] ?? ''], dsmlElements),
  buildWrapperDialect('deepseek-dsml', '<｜DSML｜tool_calls>', [dsmlEnds[1] ?? ''], dsmlElements),
  buildTagDialect('deepseek-dsml', '<｜DSML｜invoke', dsmlEnds, dsmlElements),
  buildWrapperDialect('kimi-k2', '<|tool_calls_section_begin|>', ['<|tool_calls_section_end|>']),
  buildDialect('kimi-k2', '<|tool_call_begin|>', kimiEnds, kimiCall),
  buildDialect('minimax-m2', '<minimax:tool_call>', ['</minimax:tool_call>'], invokeElements, readJsonBody),
  buildDialect('minimax-m3', `${minimaxMark}<tool_call>`, [`${minimaxMark}</tool_call>`], minimaxM3),
  buildTagDialect(
    'minimax-m2',
    '<invoke name=',
    ['</minimax:tool_call>', '</function_calls>'],
    invokeElements,
  ),
  buildDialect('gemma4', '<|tool_call>', ['<tool_call|>'], createGemmaBody('<|"|>')),
  buildDialect(
    'functiongemma',
    '<start_function_call>',
    ['<end_function_call>'],
    createGemmaBody('<escape>'),
  ),
  buildDialect('gemma3', '```tool_code', ['```'], ...commonBodies),
  buildDialect('gemma3', '```function_call', ['```'], ...commonBodies),
  buildDialect('gemma3', '```tool_call', ['```'], ...commonBodies),
  buildDialect('granite3', '<|tool_call|>', ['<|end_of_text|>'], readJsonBody),
  buildDialect('granite-20b', '<function_call>', ['</function_call>', '<|endoftext|>'], readJsonBody),
  buildDialect('phi4-mini', 'functools[', [], (context, offset, dialect) =>
    readJsonBody(context, offset - 1, dialect),
  ),
  buildDialect('nemotron', '<TOOLCALL>', ['</TOOLCALL>'], readJsonBody),
  buildDialect('cohere', '<|START_ACTION|>', ['<|END_ACTION|>'], readJsonBody),
  buildDialect('apertus', '<|tools_prefix|>', ['<|tools_suffix|>'], readJsonBody),
  buildDialect('internlm2', '<|action_start|><|plugin|>', ['<|action_end|>'], readJsonBody),
  buildDialect(
    'longcat',
    '<longcat_tool_call>',
    ['</longcat_tool_call>'],
    readJsonBody,
    createPairsBody('longcat', 'longcat_'),
  ),
  buildDialect(
    'gigachat3',
    'function call<|role_sep|>',
    ['<|message_sep|>'],
    readJsonBody,
    createNameAndJsonBody(),
  ),
  buildDialect('gigachat3', '<|function_call|>', ['<|message_sep|>'], readJsonBody, createNameAndJsonBody()),
  buildWrapperDialect('tool-use', '<tool_use>', ['</tool_use>'], readToolUseBody, readJsonBody),
  buildTagDialect('harmony', '<|channel|>', ['<|call|>', '<|end|>'], harmonyCall),
  buildDialect('functionary', '>>>', [], createNameAndJsonBody()),
  // Qwen 2.5 Coder often writes calls in the tag with which its prompt lists the tools.
  buildWrapperDialect('hermes', '<tools>', ['</tools>'], readCallsOnly),
];

/** A mark at a position of the text, with its dialect. */
export interface DialectMark {
  dialect: Dialect;
  start: number;
  end: number;
}

/** Dialects by the two characters of their mark at which the scan stops. */
const dialectsByStart = new Map<string, { dialect: Dialect; offset: number }[]>();
for (const dialect of dialects) {
  const offset = Math.max(0, dialect.openMark.search(/[<[]/));
  const key = dialect.openMark.slice(offset, offset + 2);
  dialectsByStart.set(key, [...(dialectsByStart.get(key) ?? []), { dialect, offset }]);
}
/** Returns the mark whose bracket (or first character, if it has no bracket) is at `position`. */
export function findMarkAt(text: string, position: number): DialectMark | undefined {
  const candidates =
    dialectsByStart.get(text.slice(position, position + 2)) ?? dialectsByStart.get(text[position] ?? '');
  const match = candidates?.find(({ dialect, offset }) =>
    text.startsWith(dialect.openMark, position - offset),
  );
  const start = position - (match?.offset ?? 0);
  return match && { dialect: match.dialect, start, end: start + match.dialect.openMark.length };
}
