/** How every format writes a call whose arguments are texts: right, or in a way that is wrong and still tells where they end. */
type Fields = readonly (readonly [string, string])[];
export type Form = (name: string, fields: Fields) => string;

const { stringify } = JSON;
const raw = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const python = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
const smart = (text: string) => `“${text.replaceAll('\\', '\\\\')}”`;
const quoted: Record<string, (text: string) => string> = { strict: stringify, raw, python, smart };

const object = (quote: (text: string) => string, fields: readonly (readonly [string, string])[]) =>
  `{${fields.map(([key, value]) => `${quote(key)}: ${value}`).join(', ')}}`;
const texts = (quote: (text: string) => string, fields: Fields) =>
  object(
    quote,
    fields.map(([key, value]) => [key, quote(value)] as const),
  );

/** Around a whole call in JSON. */
const aroundCall: Record<string, (call: string) => string> = {
  bare: (call) => call,
  'bare after prose': (call) => `I will do it now:\n${call}`,
  'json fence': (call) => `\`\`\`json\n${call}\n\`\`\``,
  'tool_calls object': (call) => `{"tool_calls": [${call}]}`,
  hermes: (call) => `<tool_call>\n${call}\n</tool_call>`,
  'hermes unclosed': (call) => `<tool_call>\n${call}`,
  tools: (call) => `<tools>\n${call}\n</tools>`,
  'tool-calls': (call) => `<tool_calls>[${call}]</tool_calls>`,
  llama3: (call) => `<|python_tag|>${call}<|eom_id|>`,
  llama4: (call) => `<|python_start|>[${call}]<|python_end|>`,
  lfm2: (call) => `<|tool_call_start|>[${call}]<|tool_call_end|>`,
  olmo3: (call) => `<function_calls>\n${call}\n</function_calls>`,
  mistral: (call) => `[TOOL_CALLS] [${call}]`,
  'seed-oss': (call) => `<seed:tool_call>${call}</seed:tool_call>`,
  'minimax-m2': (call) => `<minimax:tool_call>${call}</minimax:tool_call>`,
  granite3: (call) => `<|tool_call|>[${call}]`,
  'granite-20b': (call) => `<function_call> ${call}`,
  'phi4-mini': (call) => `functools[${call}]`,
  nemotron: (call) => `<TOOLCALL>[${call}]</TOOLCALL>`,
  cohere: (call) => `<|START_ACTION|>[${call}]<|END_ACTION|>`,
  internlm2: (call) => `<|action_start|><|plugin|>\n${call}<|action_end|>`,
  longcat: (call) => `<longcat_tool_call>${call}</longcat_tool_call>`,
  gigachat3: (call) => `function call<|role_sep|>\n${call}`,
};
/** Around arguments in JSON. */
const aroundArguments: Record<string, (name: string, args: string) => string> = {
  'mistral named': (name, args) => `[TOOL_CALLS]${name}[ARGS]${args}`,
  'deepseek-v3': (name, args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  'deepseek-v3.1': (name, args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  'kimi-k2': (name, args) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
  harmony: (name, args) =>
    `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${args}<|call|>`,
  functionary: (name, args) => `>>>${name}\n${args}`,
  'functionary 3.1': (name, args) => `<function=${name}>${args}</function>`,
  react: (name, args) => `Action: ${name}\nAction Input: ${args}\nObservation: ok`,
  'glm with JSON': (name, args) => `<tool_call>${name}\n${args}\n</tool_call>`,
  apertus: (name, args) => `<|tools_prefix|>[{"${name}": ${args}}]<|tools_suffix|>`,
  'tool-use': (name, args) => `<tool_use>\n<name>${name}</name>\n<arguments>${args}</arguments>\n</tool_use>`,
  'only key': (name, args) => `{"${name}": ${args}}`,
  'element with JSON': (name, args) => `<${name}>\n${args}\n</${name}>`,
};

const parameters = (fields: Fields, write: (key: string, value: string) => string) =>
  fields.map(([key, value]) => write(key, value)).join('\n');
const pairs = (fields: Fields, prefix = '') =>
  parameters(
    fields,
    (key, value) =>
      `<${prefix}arg_key>${key}</${prefix}arg_key>\n<${prefix}arg_value>${value}</${prefix}arg_value>`,
  );
const lines = (fields: Fields) =>
  parameters(fields, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`);
const invoke = (name: string, fields: Fields, prefix = '') =>
  `<${prefix}invoke name="${name}">\n${parameters(fields, (key, value) => `<${prefix}parameter name="${key}">${value}</${prefix}parameter>`)}\n</${prefix}invoke>`;
const marked = ']<]minimax[>[';
const call = (name: string, fields: Fields, quote: (text: string) => string) =>
  `${name}(${fields.map(([key, value]) => `${key}=${quote(value)}`).join(', ')})`;
const gemma = (name: string, fields: Fields, mark: string) =>
  `call:${name}{${fields.map(([key, value]) => `${key}:${mark}${value}${mark}`).join(',')}}`;

/** Strings as Python writes them; its strings hold no line breaks. */
const literal = (text: string) =>
  `'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;

const ownForms: Record<string, Form> = {
  'qwen3-coder': (name, fields) =>
    `<tool_call>\n<function=${name}>\n${lines(fields)}\n</function>\n</tool_call>`,
  'qwen3-coder bare': (name, fields) => `<function=${name}>\n${lines(fields)}\n</function>`,
  'seed-oss XML': (name, fields) =>
    `<seed:tool_call>\n<function=${name}>\n${lines(fields)}\n</function>\n</seed:tool_call>`,
  'minimax-m2 XML': (name, fields) => `<minimax:tool_call>\n${invoke(name, fields)}\n</minimax:tool_call>`,
  'invoke bare': (name, fields) => invoke(name, fields),
  'deepseek-dsml': (name, fields) =>
    `<｜DSML｜function_calls>\n${invoke(name, fields, '｜DSML｜')}\n</｜DSML｜function_calls>`,
  glm: (name, fields) => `<tool_call>${name}\n${pairs(fields)}\n</tool_call>`,
  hunyuan: (name, fields) =>
    `<tool_calls><tool_call>${name}<tool_sep>${pairs(fields)}</tool_call></tool_calls>`,
  'longcat pairs': (name, fields) =>
    `<longcat_tool_call>${name}\n${pairs(fields, 'longcat_')}\n</longcat_tool_call>`,
  'minimax-m3': (name, fields) =>
    `${marked}<tool_call>\n${marked}<invoke name="${name}">${fields.map(([key, value]) => `${marked}<${key}>${value}${marked}</${key}>`).join('')}${marked}</invoke>\n${marked}</tool_call>`,
  'named element': (name, fields) =>
    `<${name}>\n${parameters(fields, (key, value) => `<${key}>\n${value}\n</${key}>`)}\n</${name}>`,
  'tool-use in elements': (name, fields) =>
    `<tool_use>\n<name>${name}</name>\n<arguments>\n${parameters(fields, (key, value) => `<${key}>\n${value}\n</${key}>`)}\n</arguments>\n</tool_use>`,
  'tool-use without a container': (name, fields) =>
    `<tool_use>\n<name>${name}</name>\n${parameters(fields, (key, value) => `<${key}>\n${value}\n</${key}>`)}\n</tool_use>`,
  gemma4: (name, fields) => `<|tool_call>${gemma(name, fields, '<|"|>')}<tool_call|>`,
  functiongemma: (name, fields) =>
    `<start_function_call>${gemma(name, fields, '<escape>')}<end_function_call>`,
  'llama4 pythonic': (name, fields) => `<|python_start|>[${call(name, fields, literal)}]<|python_end|>`,
  pythonic: (name, fields) => `[${call(name, fields, literal)}]`,
  'lfm2 pythonic': (name, fields) => `<|tool_call_start|>[${call(name, fields, literal)}]<|tool_call_end|>`,
  'olmo3 pythonic': (name, fields) => `<function_calls>\n${call(name, fields, literal)}\n</function_calls>`,
  gemma3: (name, fields) => `\`\`\`tool_code\n${call(name, fields, literal)}\n\`\`\``,
};

const inJson = (quotes: typeof quoted): (readonly [string, Form])[] =>
  Object.entries(quotes).flatMap(([how, quote]) => [
    ...Object.entries(aroundCall).map(([title, around]) => {
      const form: Form = (name, fields) =>
        around(
          object(quote, [
            ['name', quote(name)],
            ['arguments', texts(quote, fields)],
          ]),
        );
      return [`${title}, ${how}`, form] as const;
    }),
    ...Object.entries(aroundArguments).map(
      ([title, around]) =>
        [
          `${title}, ${how}`,
          (name: string, fields: Parameters<Form>[1]) => around(name, texts(quote, fields)),
        ] as const,
    ),
  ]);

/** Every form by its name; JSON in each of the ways in which its texts may be quoted. */
export const forms: readonly (readonly [string, Form])[] = [...inJson(quoted), ...Object.entries(ownForms)];

/** Nothing is escaped, so that no reader can be sure where a text ends. */
export const brokenForms = inJson({ unescaped: (text) => `"${text}"` });
