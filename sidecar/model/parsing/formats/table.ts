/**
 * The formats in which model families write calls as text, one row each: opening mark, how the body
 * is read, closing marks. A longer mark stands before a shorter one that it begins with. A new family is a row.
 */
import type { BodyReader, Format } from './format.ts';
import { gemmaBody } from './gemma-body.ts';
import { jsonBody } from './json-body.ts';
import { keyValueBody } from './key-value-body.ts';
import { minimaxM3Body, minimaxMark } from './minimax-m3-body.ts';
import { deepseekBody, harmonyBody, kimiBody, mistralBody, namedLineBody } from './named-json-body.ts';
import { pythonicBody } from './pythonic-body.ts';
import { toolUseBody } from './tool-use-body.ts';
import { xmlBody } from './xml-body.ts';

const parameters = [
  { open: '<parameter', close: '</parameter>' },
  { open: '<param', close: '</param>' },
];
const functionXml = xmlBody({
  family: 'qwen3-coder',
  call: '<function',
  callEnd: '</function>',
  parameters,
  lines: 'each',
});
const seedXml = xmlBody({
  family: 'seed-oss',
  call: '<function',
  callEnd: '</function>',
  parameters,
  lines: 'each',
});
const invokeXml = xmlBody({
  family: 'minimax-m2',
  call: '<invoke',
  callEnd: '</invoke>',
  parameters,
  lines: 'pair',
});
const dsmlXml = xmlBody({
  family: 'deepseek-dsml',
  call: '<｜DSML｜invoke',
  callEnd: '</｜DSML｜invoke>',
  parameters: [{ open: '<｜DSML｜parameter', close: '</｜DSML｜parameter>' }],
  lines: 'pair',
});
const glmPairs = keyValueBody('glm');

function row(family: string, open: string, close: readonly string[], ...readers: BodyReader[]): Format {
  return { family, open, close, readers };
}
/** Rows whose opening mark is the first tag of the body. */
function tag(family: string, open: string, close: readonly string[], reader: BodyReader): Format {
  return { family, open, close, readers: [reader], readsMark: true };
}
/** Rows that may also stand around other rows' blocks. */
function wrapper(family: string, open: string, close: readonly string[], ...readers: BodyReader[]): Format {
  return { family, open, close, readers, wrapper: true };
}

const toolCallEnd = ['</tool_call>'];
const sectionEnds = [
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
  '<|tool▁call▁end|>',
  '<|tool▁calls▁end|>',
];
const stepEnds = ['<｜tool_call_end｜>', '<｜tool_calls_end｜>'];
const kimiEnds = ['<|tool_call_end|>', '<|tool_calls_section_end|>'];

export const formats: readonly Format[] = [
  row('hermes', '<tool_call>', toolCallEnd, jsonBody, functionXml, invokeXml, glmPairs, pythonicBody),
  wrapper('tool-calls', '<tool_calls>', ['</tool_calls>'], jsonBody, invokeXml),
  tag('qwen3-coder', '<function=', toolCallEnd, functionXml),
  tag('qwen3-coder', '<function name=', toolCallEnd, functionXml),
  row('seed-oss', '<seed:tool_call>', ['</seed:tool_call>'], seedXml, jsonBody),
  row('llama3', '<|python_tag|>', ['<|eom_id|>', '<|eot_id|>'], jsonBody, pythonicBody),
  row('llama4', '<|python_start|>', ['<|python_end|>'], pythonicBody, jsonBody),
  row('lfm2', '<|tool_call_start|>', ['<|tool_call_end|>'], pythonicBody, jsonBody),
  wrapper('olmo3', '<function_calls>', ['</function_calls>'], pythonicBody, jsonBody, invokeXml),
  row('mistral', '[TOOL_CALLS]', ['</s>'], mistralBody),
  wrapper('deepseek', '<｜tool▁calls▁begin｜>', ['<｜tool▁calls▁end｜>']),
  row('deepseek', '<｜tool▁call▁begin｜>', sectionEnds, deepseekBody('<｜tool▁sep｜>')),
  wrapper('deepseek', '<|tool▁calls▁begin|>', ['<|tool▁calls▁end|>']),
  row('deepseek', '<|tool▁call▁begin|>', sectionEnds, deepseekBody('<|tool▁sep|>')),
  wrapper('deepseek-dsml', '<｜DSML｜function_calls>', ['</｜DSML｜function_calls>'], dsmlXml),
  wrapper('deepseek-dsml', '<｜DSML｜tool_calls>', ['</｜DSML｜tool_calls>'], dsmlXml),
  tag('deepseek-dsml', '<｜DSML｜invoke', ['</｜DSML｜function_calls>', '</｜DSML｜tool_calls>'], dsmlXml),
  wrapper('step3', '<｜tool_calls_begin｜>', ['<｜tool_calls_end｜>']),
  row('step3', '<｜tool_call_begin｜>', stepEnds, deepseekBody('<｜tool_sep｜>')),
  wrapper('kimi-k2', '<|tool_calls_section_begin|>', ['<|tool_calls_section_end|>']),
  row('kimi-k2', '<|tool_call_begin|>', kimiEnds, kimiBody),
  row('minimax-m2', '<minimax:tool_call>', ['</minimax:tool_call>'], invokeXml, jsonBody),
  row('minimax-m3', `${minimaxMark}<tool_call>`, [`${minimaxMark}</tool_call>`], minimaxM3Body),
  tag('minimax-m2', '<invoke name=', ['</minimax:tool_call>', '</function_calls>'], invokeXml),
  row('gemma4', '<|tool_call>', ['<tool_call|>'], gemmaBody('<|"|>')),
  row('functiongemma', '<start_function_call>', ['<end_function_call>'], gemmaBody('<escape>')),
  row('granite3', '<|tool_call|>', ['<|end_of_text|>'], jsonBody),
  row('granite-20b', '<function_call>', ['</function_call>', '<|endoftext|>'], jsonBody),
  row('phi4-mini', 'functools[', [], (context, at, format) => jsonBody(context, at - 1, format)),
  row('nemotron', '<TOOLCALL>', ['</TOOLCALL>'], jsonBody),
  row('cohere', '<|START_ACTION|>', ['<|END_ACTION|>'], jsonBody),
  row('apertus', '<|tools_prefix|>', ['<|tools_suffix|>'], jsonBody),
  row('internlm2', '<|action_start|><|plugin|>', ['<|action_end|>'], jsonBody),
  row(
    'longcat',
    '<longcat_tool_call>',
    ['</longcat_tool_call>'],
    jsonBody,
    keyValueBody('longcat', 'longcat_'),
  ),
  row('gigachat3', 'function call<|role_sep|>', ['<|message_sep|>', '</s>'], jsonBody, namedLineBody),
  row('gigachat3', '<|function_call|>', ['<|message_sep|>', '</s>'], jsonBody, namedLineBody),
  wrapper('tool-use', '<tool_use>', ['</tool_use>'], toolUseBody, jsonBody),
  row('harmony', '<|channel|>', ['<|call|>', '<|end|>'], harmonyBody),
  // Qwen 2.5 Coder often writes the tag that its prompt lists the tools in.
  wrapper('hermes', '<tools>', ['</tools>'], (context, at, format) => {
    const reading = jsonBody(context, at, format);
    return reading && reading.calls.length > 0 ? reading : undefined;
  }),
];
