/** How models write a call after prose: each format as its chat template or its server's parser has it. */
export interface WrittenCall {
  name: string;
  arguments: Readonly<Record<string, string>>;
}

export interface CallFormat {
  title: string;
  /** A whole answer: the prose, then the calls. */
  write: (prose: string, calls: readonly WrittenCall[]) => string;
}

/** JSON as Python's `json.dumps` and the chat templates write it. */
const object = (fields: Readonly<Record<string, string>>) =>
  `{${Object.entries(fields)
    .map(([key, value]) => `${JSON.stringify(key)}: ${value}`)
    .join(', ')}}`;
const json = ({ arguments: args }: WrittenCall) =>
  object(Object.fromEntries(Object.entries(args).map(([key, value]) => [key, JSON.stringify(value)])));
const whole = (call: WrittenCall, key = 'arguments') =>
  object({ name: JSON.stringify(call.name), [key]: json(call) });
const list = (calls: readonly WrittenCall[]) => `[${calls.map((call) => whole(call)).join(', ')}]`;

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const python = (text: string) =>
  `'${text.replace(/['\\]/g, '\\$&').replace(/[\n\r\t]/g, (mark) => escapes[mark] ?? mark)}'`;
const pythonCall = (call: WrittenCall) =>
  `${call.name}(${pairs(call, (key, value) => `${key}=${python(value)}`, ', ')})`;
const pythonic = (calls: readonly WrittenCall[]) => `[${calls.map(pythonCall).join(', ')}]`;

const pairs = (
  { arguments: args }: WrittenCall,
  write: (key: string, value: string) => string,
  between = '\n',
) =>
  Object.entries(args)
    .map(([key, value]) => write(key, value))
    .join(between);

/** The prose, an empty line, and the calls. */
const after = (title: string, body: (calls: readonly WrittenCall[]) => string): CallFormat => ({
  title,
  write: (prose, calls) => `${prose}\n\n${body(calls)}`,
});
/** The same for calls that are written one after the other. */
const each = (title: string, write: (call: WrittenCall, index: number) => string, between = '\n') =>
  after(title, (calls) => calls.map(write).join(between));

const functionElement = (call: WrittenCall) =>
  `<function=${call.name}>\n${pairs(call, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>`;
const harmony = (call: WrittenCall) =>
  `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${json(call)}<|call|>`;
const harmonyCalls = (calls: readonly WrittenCall[]) => calls.map(harmony).join('<|start|>assistant');
const functionary = (calls: readonly WrittenCall[]) =>
  calls.map((call) => `>>>${call.name}\n${json(call)}`).join('');

export const callFormats: readonly CallFormat[] = [
  each('hermes', (call) => `<tool_call>\n${whole(call)}\n</tool_call>`),
  each('qwen3-coder', (call) => `<tool_call>\n${functionElement(call)}\n</tool_call>`),
  after(
    'llama 3 python_tag',
    (calls) => `<|python_tag|>${calls.map((call) => whole(call, 'parameters')).join('; ')}<|eom_id|>`,
  ),
  after('llama 4 pythonic', (calls) => `<|python_start|>${pythonic(calls)}<|python_end|>`),
  each('json fence', (call) => `\`\`\`json\n${whole(call)}\n\`\`\``, '\n\n'),
  each('bare json', (call) => whole(call)),
  after('mistral v3', (calls) => `[TOOL_CALLS] ${list(calls)}`),
  each('mistral v11', (call) => `[TOOL_CALLS]${call.name}[ARGS]${json(call)}`, ''),
  after(
    'deepseek v3',
    (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(
          (call) =>
            `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${json(call)}\n\`\`\`<｜tool▁call▁end｜>`,
        )
        .join('\n')}<｜tool▁calls▁end｜>`,
  ),
  after(
    'deepseek v3.1',
    (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map((call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${json(call)}<｜tool▁call▁end｜>`)
        .join('')}<｜tool▁calls▁end｜>`,
  ),
  after(
    'kimi k2',
    (calls) =>
      `<|tool_calls_section_begin|>${calls
        .map(
          (call, index) =>
            `<|tool_call_begin|>functions.${call.name}:${index}<|tool_call_argument_begin|>${json(call)}<|tool_call_end|>`,
        )
        .join('')}<|tool_calls_section_end|>`,
  ),
  each(
    'glm 4.5',
    (call) =>
      `<tool_call>${call.name}\n${pairs(call, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`)}\n</tool_call>`,
  ),
  after(
    'minimax m2',
    (calls) =>
      `<minimax:tool_call>\n${calls
        .map(
          (call) =>
            `<invoke name="${call.name}">\n${pairs(call, (key, value) => `<parameter name="${key}">${value}</parameter>`)}\n</invoke>`,
        )
        .join('\n')}\n</minimax:tool_call>`,
  ),
  after('harmony', harmonyCalls),
  {
    title: 'harmony, prose in its channel',
    write: (prose, calls) =>
      `<|channel|>commentary<|message|>${prose}<|end|><|start|>assistant${harmonyCalls(calls)}`,
  },
  each('functionary 3.1', (call) => `<function=${call.name}>${json(call)}</function>`, ''),
  after('functionary 3.2', functionary),
  {
    title: 'functionary 3.2, prose to all',
    write: (prose, calls) => `>>>all\n${prose}${functionary(calls)}`,
  },
  each(
    'gemma 4',
    (call) =>
      `<|tool_call>call:${call.name}{${pairs(call, (key, value) => `${key}:<|"|>${value}<|"|>`, ',')}}<tool_call|>`,
    '',
  ),
  after('gemma 3 tool_code', (calls) => `\`\`\`tool_code\n${calls.map(pythonCall).join('\n')}\n\`\`\``),
  after('pythonic list in marks', (calls) => `<|tool_call_start|>${pythonic(calls)}<|tool_call_end|>`),
  after('bare pythonic list', pythonic),
  each(
    'tool_use',
    (call) => `<tool_use>\n<name>${call.name}</name>\n<arguments>${json(call)}</arguments>\n</tool_use>`,
  ),
  after('granite 3', (calls) => `<|tool_call|>${list(calls)}`),
  each('granite 20b', (call) => `<function_call> ${whole(call)}`),
  after('phi 4 functools', (calls) => `functools${list(calls)}`),
  after('nemotron', (calls) => `<TOOLCALL>${list(calls)}</TOOLCALL>`),
  each('named element', (call) => `<${call.name}>${json(call)}</${call.name}>`),
  each('react', (call) => `Action: ${call.name}\nAction Input: ${json(call)}`),
  after(
    'list by name',
    (calls) => `[${calls.map((call) => object({ [call.name]: json(call) })).join(', ')}]`,
  ),
];
