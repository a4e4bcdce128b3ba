/** What model families write, and the calls that it means. */
export interface FamilyCase {
  family: string;
  title: string;
  text: string;
  calls: { name: string; arguments: unknown; id?: string }[];
  content?: string;
  layer?: 'json' | 'tagged';
}

const read = { name: 'read_file', arguments: { file_path: 'src/a.ts' } };
const glob = { name: 'glob', arguments: { pattern: '**/*.ts' } };
const grep = { name: 'grep', arguments: { pattern: 'x y', max_results: 5, case_sensitive: false } };
const readJson = '{"name": "read_file", "arguments": {"file_path": "src/a.ts"}}';
const globJson = '{"name": "glob", "arguments": {"pattern": "**/*.ts"}}';
const grepJson = '{"name":"grep","arguments":{"pattern":"x y","max_results":5,"case_sensitive":false}}';
const code = 'if (a) {\n  return "</tool_call>";\n}\n';
const write = { name: 'write_file', arguments: { file_path: 'a.ts', content: code } };
const writeJson = JSON.stringify(write);

export const familyCases: FamilyCase[] = [
  // hermes, qwen 2.5 / 3, granite 4, ernie, reka
  { family: 'hermes', title: 'one call', text: `<tool_call>\n${readJson}\n</tool_call>`, calls: [read] },
  { family: 'hermes', title: 'no line breaks', text: `<tool_call>${readJson}</tool_call>`, calls: [read] },
  {
    family: 'hermes',
    title: 'two calls with prose before',
    text: `I will look.\n<tool_call>\n${readJson}\n</tool_call>\n<tool_call>\n${globJson}\n</tool_call>`,
    calls: [read, glob],
    content: 'I will look.',
  },
  {
    family: 'hermes',
    title: 'prose after the call is left out',
    text: `<tool_call>${readJson}</tool_call>\nNow I wait.`,
    calls: [read],
  },
  { family: 'hermes', title: 'unclosed', text: `<tool_call>\n${readJson}`, calls: [read] },
  {
    family: 'hermes',
    title: 'two calls, none closed',
    text: `<tool_call>\n${readJson}\n<tool_call>\n${globJson}`,
    calls: [read, glob],
  },
  {
    family: 'hermes',
    title: 'two objects in one tag',
    text: `<tool_call>\n${readJson}\n${globJson}\n</tool_call>`,
    calls: [read, glob],
  },
  {
    family: 'hermes',
    title: 'a list in the tag',
    text: `<tool_call>[${readJson}, ${globJson}]</tool_call>`,
    calls: [read, glob],
  },
  {
    family: 'hermes',
    title: 'a code fence in the tag',
    text: `<tool_call>\n\`\`\`json\n${readJson}\n\`\`\`\n</tool_call>`,
    calls: [read],
  },
  {
    family: 'hermes',
    title: 'a code fence around the tag',
    text: `\`\`\`xml\n<tool_call>\n${readJson}\n</tool_call>\n\`\`\``,
    calls: [read],
  },
  {
    family: 'hermes',
    title: 'the closing tag inside a string',
    text: `<tool_call>${writeJson}</tool_call>`,
    calls: [write],
  },
  {
    family: 'hermes',
    title: 'a call in a string is an argument',
    text: `<tool_call>${JSON.stringify({ name: 'write_file', arguments: { file_path: 'x', content: readJson } })}</tool_call>`,
    calls: [{ name: 'write_file', arguments: { file_path: 'x', content: readJson } }],
  },
  {
    family: 'hermes',
    title: 'arguments as a JSON string',
    text: `<tool_call>{"name":"read_file","arguments":"{\\"file_path\\":\\"src/a.ts\\"}"}</tool_call>`,
    calls: [read],
  },
  {
    family: 'hermes',
    title: 'a missing closing brace',
    text: `<tool_call>\n{"name": "read_file", "arguments": {"file_path": "src/a.ts"}\n</tool_call>`,
    calls: [read],
  },
  {
    family: 'hermes',
    title: 'a closing brace too many',
    text: `<tool_call>${readJson}}</tool_call>`,
    calls: [read],
  },
  {
    family: 'hermes',
    title: 'single quotes',
    text: `<tool_call>{'name': 'read_file', 'arguments': {'file_path': 'src/a.ts'}}</tool_call>`,
    calls: [read],
  },
  {
    family: 'hermes',
    title: 'an unknown name is still a call',
    text: '<tool_call>{"name": "teleport", "arguments": {"to": "x"}}</tool_call>',
    calls: [{ name: 'teleport', arguments: { to: 'x' } }],
  },
  {
    family: 'hermes',
    title: 'no arguments',
    text: '<tool_call>{"name": "list_directory"}</tool_call>',
    calls: [{ name: 'list_directory', arguments: {} }],
  },
  {
    family: 'hermes',
    title: 'null arguments',
    text: '<tool_call>{"name": "list_directory", "arguments": null}</tool_call>',
    calls: [{ name: 'list_directory', arguments: {} }],
  },
  {
    family: 'hermes',
    title: 'carriage returns',
    text: `<tool_call>\r\n${readJson}\r\n</tool_call>\r\n`,
    calls: [read],
  },
  { family: 'hermes', title: "Qwen 2.5 Coder's tag", text: `<tools>\n${readJson}\n</tools>`, calls: [read] },
  // qwen3-coder, qwen 3.5, nemotron 3, step 3.5
  {
    family: 'qwen3-coder',
    title: 'one call',
    text: '<tool_call>\n<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n</function>\n</tool_call>',
    calls: [read],
  },
  {
    family: 'qwen3-coder',
    title: 'values typed by the schema',
    text: '<tool_call>\n<function=grep>\n<parameter=pattern>\nx y\n</parameter>\n<parameter=max_results>\n5\n</parameter>\n<parameter=case_sensitive>\nFalse\n</parameter>\n</function>\n</tool_call>',
    calls: [grep],
  },
  {
    family: 'qwen3-coder',
    title: 'the outer tag missing',
    text: 'Looking.\n<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n</function>',
    calls: [read],
    content: 'Looking.',
  },
  {
    family: 'qwen3-coder',
    title: 'only the closing outer tag',
    text: '<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n</function>\n</tool_call>',
    calls: [read],
  },
  {
    family: 'qwen3-coder',
    title: 'two functions in one tag',
    text: '<tool_call><function=read_file><parameter=file_path>src/a.ts</parameter></function><function=glob><parameter=pattern>**/*.ts</parameter></function></tool_call>',
    calls: [read, glob],
  },
  {
    family: 'qwen3-coder',
    title: 'unclosed function',
    text: '<tool_call>\n<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n',
    calls: [read],
  },
  {
    family: 'qwen3-coder',
    title: 'no parameters',
    text: '<tool_call>\n<function=list_directory>\n</function>\n</tool_call>',
    calls: [{ name: 'list_directory', arguments: {} }],
  },
  {
    family: 'qwen3-coder',
    title: 'a JSON file is an argument',
    text: `<tool_call>\n<function=write_file>\n<parameter=file_path>\nx.json\n</parameter>\n<parameter=content>\n${readJson}\n</parameter>\n</function>\n</tool_call>`,
    calls: [{ name: 'write_file', arguments: { file_path: 'x.json', content: readJson } }],
  },
  {
    family: 'qwen3-coder',
    title: 'inner line breaks and spaces survive',
    text: '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>\n\n  indented\n\n</parameter></function></tool_call>',
    calls: [{ name: 'write_file', arguments: { file_path: 'a', content: '\n  indented\n' } }],
  },
  {
    family: 'qwen3-coder',
    title: 'the closing tag inside a value',
    text: '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>\nsay "</parameter>" twice\n</parameter></function></tool_call>',
    calls: [{ name: 'write_file', arguments: { file_path: 'a', content: 'say "</parameter>" twice' } }],
  },
  {
    family: 'qwen3-coder',
    title: 'a file that documents the format',
    text: '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>\n<function=f>\n<parameter=k>\nv\n</parameter>\n</function>\nEnd.\n</parameter></function></tool_call>',
    calls: [
      {
        name: 'write_file',
        arguments: {
          file_path: 'a',
          content: '<function=f>\n<parameter=k>\nv\n</parameter>\n</function>\nEnd.',
        },
      },
    ],
  },
  {
    family: 'qwen3-coder',
    title: 'a forgotten closing tag',
    text: '<tool_call>\n<function=grep>\n<parameter=path>\na\n<parameter=pattern>\nx\n</parameter>\n</function>\n</tool_call>',
    calls: [{ name: 'grep', arguments: { path: 'a', pattern: 'x' } }],
  },
  {
    family: 'qwen3-coder',
    title: 'a name as an attribute',
    text: '<function name="read_file"><param name="file_path">src/a.ts</param></function>',
    calls: [read],
  },
  {
    family: 'qwen3-coder',
    title: 'text that looks like a number stays text',
    text: '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>42</parameter></function></tool_call>',
    calls: [{ name: 'write_file', arguments: { file_path: 'a', content: '42' } }],
  },
  // seed-oss
  {
    family: 'seed-oss',
    title: 'one call',
    text: '<seed:tool_call>\n<function=read_file>\n<parameter=file_path>src/a.ts</parameter>\n</function>\n</seed:tool_call>',
    calls: [read],
  },
  {
    family: 'seed-oss',
    title: 'thinking before',
    text: '<seed:think>hm</seed:think>Go.<seed:tool_call><function=glob><parameter=pattern>**/*.ts</parameter></function></seed:tool_call>',
    calls: [glob],
    content: 'Go.',
  },
  // functionary
  {
    family: 'qwen3-coder',
    title: 'functionary 3.1: JSON in the function tag',
    text: '<function=read_file>{"file_path": "src/a.ts"}</function>',
    calls: [read],
  },
  {
    family: 'functionary',
    title: '3.2: name on a line of its own',
    text: 'read_file\n{"file_path": "src/a.ts"}',
    calls: [read],
  },
  {
    family: 'functionary',
    title: '3.2: prose channel and two calls',
    text: '>>>all\nLooking.\n>>>read_file\n{"file_path": "src/a.ts"}\n>>>glob\n{"pattern": "**/*.ts"}',
    calls: [read, glob],
    content: 'Looking.',
  },
  // llama 3
  {
    family: 'llama3',
    title: 'python tag',
    text: '<|python_tag|>{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}',
    calls: [read],
  },
  {
    family: 'llama3',
    title: 'several separated by semicolons',
    text: '<|python_tag|>{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}; {"name": "glob", "parameters": {"pattern": "**/*.ts"}}',
    calls: [read, glob],
  },
  {
    family: 'llama3',
    title: 'typed by the schema',
    text: '<|python_tag|>{"type": "function", "name": "grep", "parameters": {"pattern": "x y", "max_results": "5", "case_sensitive": "false"}}<|eom_id|>',
    calls: [grep],
  },
  {
    family: 'llama3',
    title: 'built-in tool call',
    text: '<|python_tag|>read_file.call(file_path="src/a.ts")',
    calls: [read],
  },
  // pythonic, llama 4
  {
    family: 'llama4',
    title: 'between marks',
    text: '<|python_start|>[read_file(file_path=\'src/a.ts\'), glob(pattern="**/*.ts")]<|python_end|>',
    calls: [read, glob],
  },
  { family: 'pythonic', title: 'bare', text: "[read_file(file_path='src/a.ts')]", calls: [read] },
  {
    family: 'pythonic',
    title: 'after prose',
    text: 'Sure:\n[grep(pattern="x y", max_results=5, case_sensitive=False)]',
    calls: [grep],
    content: 'Sure:',
  },
  {
    family: 'pythonic',
    title: 'nested literals',
    text: "[update_plan(steps=[{'title': 'it\\'s \"a\"', 'done': True, 'n': [1, -2.5, None]}], note='a\\nb')]",
    calls: [
      {
        name: 'update_plan',
        arguments: { steps: [{ title: 'it\'s "a"', done: true, n: [1, -2.5, null] }], note: 'a\nb' },
      },
    ],
  },
  {
    family: 'pythonic',
    title: 'triple quotes, prefixes and joined strings',
    text: '[write_file(file_path=r"C:\\n", content="""a "b"\n""" \'c\')]',
    calls: [{ name: 'write_file', arguments: { file_path: 'C:\\n', content: 'a "b"\nc' } }],
  },
  {
    family: 'pythonic',
    title: 'values without names',
    text: '[read_file("src/a.ts")]',
    calls: [read],
  },
  {
    family: 'pythonic',
    title: 'an object as the only value',
    text: 'read_file({"file_path": "src/a.ts"})',
    calls: [read],
  },
  {
    family: 'pythonic',
    title: 'no arguments',
    text: '[list_directory()]',
    calls: [{ name: 'list_directory', arguments: {} }],
  },
  // lfm 2
  {
    family: 'lfm2',
    title: 'pythonic',
    text: '<|tool_call_start|>[read_file(file_path="src/a.ts")]<|tool_call_end|>Reading.',
    calls: [read],
  },
  {
    family: 'lfm2',
    title: 'JSON',
    text: `<|tool_call_start|>[${readJson}]<|tool_call_end|>`,
    calls: [read],
  },
  // olmo 3
  {
    family: 'olmo3',
    title: 'one call a line',
    text: '<function_calls>\nread_file(file_path="src/a.ts")\nglob(pattern="**/*.ts")\n</function_calls>',
    calls: [read, glob],
  },
  {
    family: 'olmo3',
    title: 'unclosed',
    text: 'Ok\n<function_calls>\nread_file(file_path="src/a.ts")',
    calls: [read],
    content: 'Ok',
  },
  // mistral
  { family: 'mistral', title: 'a list', text: `[TOOL_CALLS] [${readJson}]`, calls: [read] },
  {
    family: 'mistral',
    title: 'a list with ids',
    text: '[TOOL_CALLS][{"name": "read_file", "arguments": {"file_path": "src/a.ts"}, "id": "abcDEF123"}]',
    calls: [{ ...read, id: 'abcDEF123' }],
  },
  {
    family: 'mistral',
    title: 'name and arguments',
    text: '[TOOL_CALLS]read_file[ARGS]{"file_path": "src/a.ts"}',
    calls: [read],
  },
  {
    family: 'mistral',
    title: 'repeated',
    text: 'Ok.[TOOL_CALLS]read_file[ARGS]{"file_path": "src/a.ts"}[TOOL_CALLS]glob[ARGS]{"pattern": "**/*.ts"}</s>',
    calls: [read, glob],
    content: 'Ok.',
  },
  {
    family: 'mistral',
    title: 'with a call id',
    text: '[TOOL_CALLS]read_file[CALL_ID]x1[ARGS]{"file_path": "src/a.ts"}',
    calls: [{ ...read, id: 'x1' }],
  },
  {
    family: 'mistral',
    title: 'without [ARGS]',
    text: '[TOOL_CALLS]read_file{"file_path": "src/a.ts"}',
    calls: [read],
  },
  // deepseek
  {
    family: 'deepseek-v3',
    title: 'a fence in the call',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"file_path": "src/a.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls: [read],
  },
  {
    family: 'deepseek-v3',
    title: 'two calls',
    text: 'Ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"file_path": "src/a.ts"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>glob\n```json\n{"pattern": "**/*.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    calls: [read, glob],
    content: 'Ok',
  },
  {
    family: 'deepseek-v3.1',
    title: 'the name before the separator',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"file_path": "src/a.ts"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>glob<｜tool▁sep｜>{"pattern": "**/*.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls: [read, glob],
  },
  {
    family: 'deepseek-v3.1',
    title: 'the outer mark missing and unclosed',
    text: '<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"file_path": "src/a.ts"}',
    calls: [read],
  },
  {
    family: 'deepseek-dsml',
    title: 'v3.2',
    text: '<｜DSML｜function_calls>\n<｜DSML｜invoke name="grep">\n<｜DSML｜parameter name="pattern" string="true">x y</｜DSML｜parameter>\n<｜DSML｜parameter name="max_results" string="false">5</｜DSML｜parameter>\n<｜DSML｜parameter name="case_sensitive" string="false">false</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    calls: [grep],
  },
  {
    family: 'deepseek-dsml',
    title: 'v4',
    text: 'Go\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="file_path" string="true">src/a.ts</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="glob">\n<｜DSML｜parameter name="pattern" string="true">**/*.ts</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    calls: [read, glob],
    content: 'Go',
  },
  {
    family: 'deepseek-dsml',
    title: 'the outer tag missing',
    text: '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="file_path" string="true">src/a.ts</｜DSML｜parameter></｜DSML｜invoke>',
    calls: [read],
  },
  // glm
  {
    family: 'glm',
    title: 'line breaks between the parts',
    text: '<tool_call>read_file\n<arg_key>file_path</arg_key>\n<arg_value>src/a.ts</arg_value>\n</tool_call>',
    calls: [read],
  },
  {
    family: 'glm',
    title: 'no line breaks, typed by the schema',
    text: '<tool_call>grep<arg_key>pattern</arg_key><arg_value>x y</arg_value><arg_key>max_results</arg_key><arg_value>5</arg_value><arg_key>case_sensitive</arg_key><arg_value>false</arg_value></tool_call>',
    calls: [grep],
  },
  {
    family: 'glm',
    title: 'no arguments',
    text: '<tool_call>list_directory\n</tool_call>',
    calls: [{ name: 'list_directory', arguments: {} }],
  },
  {
    family: 'glm',
    title: 'two calls, prose before',
    text: 'Ok\n<tool_call>read_file\n<arg_key>file_path</arg_key>\n<arg_value>src/a.ts</arg_value>\n</tool_call>\n<tool_call>glob\n<arg_key>pattern</arg_key>\n<arg_value>**/*.ts</arg_value>\n</tool_call>',
    calls: [read, glob],
    content: 'Ok',
  },
  {
    family: 'glm',
    title: 'a value of several lines keeps its last line break',
    text: '<tool_call>write_file<arg_key>file_path</arg_key><arg_value>a</arg_value><arg_key>content</arg_key><arg_value>x\ny\n</arg_value></tool_call>',
    calls: [{ name: 'write_file', arguments: { file_path: 'a', content: 'x\ny\n' } }],
  },
  {
    family: 'hermes',
    title: 'laguna: JSON inside',
    text: `<tool_call>${globJson}</tool_call>`,
    calls: [glob],
  },
  {
    family: 'glm',
    title: 'a name and then JSON',
    text: '<tool_call>read_file\n{"file_path": "src/a.ts"}\n</tool_call>',
    calls: [read],
  },
  // hunyuan v3
  {
    family: 'hunyuan',
    title: 'a separator after the name',
    text: '<tool_calls>\n<tool_call>read_file<tool_sep>\n<arg_key>file_path</arg_key>\n<arg_value>src/a.ts</arg_value>\n</tool_call>\n</tool_calls>',
    calls: [read],
  },
  {
    family: 'hunyuan',
    title: 'no arguments, prose before',
    text: 'Hm\n<tool_calls><tool_call>list_directory<tool_sep></tool_call></tool_calls>',
    calls: [{ name: 'list_directory', arguments: {} }],
    content: 'Hm',
  },
  // kimi k2
  {
    family: 'kimi-k2',
    title: 'a section',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"file_path": "src/a.ts"}<|tool_call_end|><|tool_call_begin|>functions.glob:1<|tool_call_argument_begin|>{"pattern": "**/*.ts"}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [
      { ...read, id: 'functions.read_file:0' },
      { ...glob, id: 'functions.glob:1' },
    ],
  },
  {
    family: 'kimi-k2',
    title: 'the section unclosed, spaces between',
    text: 'I look. <|tool_calls_section_begin|> <|tool_call_begin|> functions.read_file:12 <|tool_call_argument_begin|> {"file_path": "src/a.ts"} <|tool_call_end|>',
    calls: [{ ...read, id: 'functions.read_file:12' }],
    content: 'I look.',
  },
  {
    family: 'kimi-k2',
    title: 'a plain name',
    text: '<|tool_call_begin|>read_file<|tool_call_argument_begin|>{"file_path": "src/a.ts"}<|tool_call_end|>',
    calls: [read],
  },
  // minimax
  {
    family: 'tool-calls',
    title: 'minimax m1: one JSON per line',
    text: `<tool_calls>\n${readJson}\n${globJson}\n</tool_calls>`,
    calls: [read, glob],
  },
  {
    family: 'minimax-m2',
    title: 'one call',
    text: '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="file_path">src/a.ts</parameter>\n</invoke>\n</minimax:tool_call>',
    calls: [read],
  },
  {
    family: 'minimax-m2',
    title: 'two calls typed by the schema',
    text: '<minimax:tool_call><invoke name="grep"><parameter name="pattern">x y</parameter><parameter name="max_results">5</parameter><parameter name="case_sensitive">false</parameter></invoke><invoke name="glob"><parameter name="pattern">**/*.ts</parameter></invoke></minimax:tool_call>',
    calls: [grep, glob],
  },
  {
    family: 'minimax-m2',
    title: 'the outer tag missing',
    text: '<invoke name="read_file">\n<parameter name="file_path">src/a.ts</parameter>\n</invoke>',
    calls: [read],
  },
  {
    family: 'minimax-m3',
    title: 'a mark before each tag',
    text: ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="grep">]<]minimax[>[<pattern>x y]<]minimax[>[</pattern>]<]minimax[>[<max_results>5]<]minimax[>[</max_results>]<]minimax[>[<case_sensitive>false]<]minimax[>[</case_sensitive>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
    calls: [grep],
  },
  {
    family: 'minimax-m3',
    title: 'lists, objects, and other tags in values',
    text: 'Ok ]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="update_plan">]<]minimax[>[<steps>]<]minimax[>[<item>]<]minimax[>[<title><b>x</b>]<]minimax[>[</title>]<]minimax[>[</item>]<]minimax[>[</steps>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
    calls: [{ name: 'update_plan', arguments: { steps: [{ title: '<b>x</b>' }] } }],
    content: 'Ok',
  },
  // gemma
  {
    family: 'gemma4',
    title: 'one call',
    text: '<|tool_call>call:grep{pattern:<|"|>x y<|"|>,max_results:5,case_sensitive:false}<tool_call|>',
    calls: [grep],
  },
  {
    family: 'gemma4',
    title: 'two calls and nesting',
    text: '<|tool_call>call:read_file{file_path:<|"|>src/a.ts<|"|>}<tool_call|><|tool_call>call:update_plan{steps:[{title:<|"|>a, {b}: "c"<|"|>,n:-1.5,ok:true,x:null}]}<tool_call|>',
    calls: [
      read,
      {
        name: 'update_plan',
        arguments: { steps: [{ title: 'a, {b}: "c"', n: -1.5, ok: true, x: null }] },
      },
    ],
  },
  {
    family: 'gemma4',
    title: 'no arguments, unclosed',
    text: 'Ok <|tool_call>call:list_directory{}',
    calls: [{ name: 'list_directory', arguments: {} }],
    content: 'Ok',
  },
  {
    family: 'functiongemma',
    title: 'one call',
    text: '<start_function_call>call:read_file{file_path:<escape>src/a.ts<escape>}<end_function_call>',
    calls: [read],
  },
  {
    family: 'functiongemma',
    title: 'two calls',
    text: '<start_function_call>call:read_file{file_path:<escape>src/a.ts<escape>}<end_function_call><start_function_call>call:glob{pattern:<escape>**/*.ts<escape>}<end_function_call><start_function_response>',
    calls: [read, glob],
  },
  // granite
  { family: 'granite3', title: 'a list after the mark', text: `<|tool_call|>[${readJson}]`, calls: [read] },
  {
    family: 'hermes',
    title: 'granite 3: a list in the tag',
    text: `<tool_call>[${readJson}]`,
    calls: [read],
  },
  {
    family: 'granite-20b',
    title: 'several',
    text: `<function_call> ${readJson}\n<function_call> ${globJson}`,
    calls: [read, glob],
  },
  // phi-4-mini, firefunction
  { family: 'phi4-mini', title: 'one call', text: `functools[${readJson}]`, calls: [read] },
  {
    family: 'phi4-mini',
    title: 'prose before',
    text: `Sure. functools[${readJson}, ${globJson}]`,
    calls: [read, glob],
    content: 'Sure.',
  },
  // jamba, hunyuan a13b, apriel
  {
    family: 'tool-calls',
    title: 'jamba: a list',
    text: `<tool_calls>[${readJson}]</tool_calls>`,
    calls: [read],
  },
  {
    family: 'tool-calls',
    title: 'apriel: prose before, unclosed',
    text: `Ok.\n<tool_calls>[${readJson}, ${globJson}]`,
    calls: [read, glob],
    content: 'Ok.',
  },
  // nemotron v2
  {
    family: 'nemotron',
    title: 'a list',
    text: `<TOOLCALL>[${readJson}, ${globJson}]</TOOLCALL>`,
    calls: [read, glob],
  },
  // cohere
  {
    family: 'cohere',
    title: 'tool_name and parameters',
    text: '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "read_file", "parameters": {"file_path": "src/a.ts"}}\n]<|END_ACTION|>',
    calls: [{ ...read, id: '0' }],
  },
  // apertus
  {
    family: 'apertus',
    title: 'the name as the key',
    text: '<|tools_prefix|>[{"read_file": {"file_path": "src/a.ts"}}, {"glob": {"pattern": "**/*.ts"}}]<|tools_suffix|>',
    calls: [read, glob],
  },
  // internlm 2
  {
    family: 'internlm2',
    title: 'plugin action',
    text: 'Ok<|action_start|><|plugin|>\n{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}<|action_end|>',
    calls: [read],
    content: 'Ok',
  },
  // longcat
  {
    family: 'longcat',
    title: 'JSON',
    text: `<longcat_tool_call>${readJson}</longcat_tool_call>`,
    calls: [read],
  },
  {
    family: 'longcat',
    title: 'pairs',
    text: '<longcat_tool_call>grep\n<longcat_arg_key>pattern</longcat_arg_key>\n<longcat_arg_value>x y</longcat_arg_value>\n<longcat_arg_key>max_results</longcat_arg_key>\n<longcat_arg_value>5</longcat_arg_value>\n<longcat_arg_key>case_sensitive</longcat_arg_key>\n<longcat_arg_value>false</longcat_arg_value>\n</longcat_tool_call>',
    calls: [grep],
  },
  // gigachat 3
  {
    family: 'gigachat3',
    title: 'role separator',
    text: `Ok<|message_sep|>\n\nfunction call<|role_sep|>\n${readJson}`,
    calls: [read],
    content: 'Ok',
  },
  { family: 'gigachat3', title: 'function_call mark', text: `<|function_call|>${readJson}`, calls: [read] },
  // harmony
  {
    family: 'harmony',
    title: 'commentary channel',
    text: '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"file_path": "src/a.ts"}<|call|>',
    calls: [read],
  },
  // gemma 3, ReAct prompts
  {
    family: 'gemma3',
    title: 'a tool_code fence',
    text: 'Ok.\n```tool_code\nread_file(file_path="src/a.ts")\nglob(pattern="**/*.ts")\n```',
    calls: [read, glob],
    content: 'Ok.',
  },
  { family: 'pythonic', title: 'only a call', text: 'read_file(file_path="src/a.ts")', calls: [read] },
  {
    family: 'pythonic',
    title: 'only a call in a fence',
    text: '```python\nread_file("src/a.ts")\n```',
    calls: [read],
  },
  {
    family: 'react',
    title: 'Action and Action Input',
    text: 'Thought: look.\nAction: read_file\nAction Input: {"file_path": "src/a.ts"}\nObservation: {"name": "x"}',
    calls: [read],
    content: 'Thought: look.',
  },
  // xlam, and bare JSON of any family
  {
    family: 'json',
    title: 'xlam: a list in a fence after prose',
    text: `Here you go:\n\`\`\`json\n[${readJson}, ${globJson}]\n\`\`\``,
    calls: [read, glob],
    content: 'Here you go:',
    layer: 'json',
  },
  { family: 'json', title: 'one object', text: readJson, calls: [read], layer: 'json' },
  { family: 'json', title: 'compact', text: grepJson, calls: [grep], layer: 'json' },
  {
    family: 'json',
    title: 'several after each other',
    text: `${readJson}\n${globJson}`,
    calls: [read, glob],
    layer: 'json',
  },
  {
    family: 'json',
    title: 'separated by semicolons',
    text: `${readJson}; ${globJson}`,
    calls: [read, glob],
    layer: 'json',
  },
  {
    family: 'json',
    title: 'in prose',
    text: `I call ${readJson} now.`,
    calls: [read],
    content: 'I call',
    layer: 'json',
  },
  {
    family: 'json',
    title: 'in two fences',
    text: `First:\n\`\`\`json\n${readJson}\n\`\`\`\nThen:\n\`\`\`json\n${globJson}\n\`\`\``,
    calls: [read, glob],
    content: 'First:',
    layer: 'json',
  },
  {
    family: 'json',
    title: 'tool_calls',
    text: `{"tool_calls": [{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}, ${globJson}]}`,
    calls: [read, glob],
    layer: 'json',
  },
  {
    family: 'json',
    title: "OpenAI's own shape",
    text: '{"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\\"file_path\\":\\"src/a.ts\\"}"}}]}',
    calls: [{ ...read, id: 'c1' }],
    layer: 'json',
  },
  { family: 'json', title: 'braces and tags in a string', text: writeJson, calls: [write], layer: 'json' },
  {
    family: 'json',
    title: 'arguments before the name',
    text: '{"arguments": {"file_path": "src/a.ts"}, "name": "read_file"}',
    calls: [read],
    layer: 'json',
  },
  {
    family: 'json',
    title: 'other keys that models use',
    text: '{"tool": "read_file", "tool_input": {"file_path": "src/a.ts"}}',
    calls: [read],
    layer: 'json',
  },
  {
    family: 'json',
    title: 'parameters beside the name',
    text: '{"name": "read_file", "file_path": "src/a.ts"}',
    calls: [read],
    layer: 'json',
  },
  {
    family: 'json',
    title: 'a wrapper of its own',
    text: '{"thought": "look", "tool_call": {"name": "read_file", "arguments": {"file_path": "src/a.ts"}}}',
    calls: [read],
    layer: 'json',
  },

  // Elements and names without marks of their own, as prompts of editors and notebooks teach them
  {
    family: 'named-element',
    title: 'a call as an element named like the tool',
    text: 'I will write it.\n<write_to_file>\n<path>a.ts</path>\n<content>\nif (a) {\n  b();\n}\n</content>\n</write_to_file>',
    calls: [{ name: 'write_to_file', arguments: { path: 'a.ts', content: 'if (a) {\n  b();\n}' } }],
    content: 'I will write it.',
  },
  {
    family: 'named-element',
    title: 'with attributes',
    text: '<read_file path="src/a.ts"/>',
    calls: [{ name: 'read_file', arguments: { path: 'src/a.ts' } }],
  },
  {
    family: 'named-element',
    title: 'with JSON inside',
    text: '<read_file>\n{"file_path": "src/a.ts"}\n</read_file>',
    calls: [read],
  },
  {
    family: 'pythonic',
    title: 'in a Python fence in prose',
    text: 'First I look:\n```python\nread_file(file_path="src/a.ts")\n```\nThen I fix it.',
    calls: [read],
    content: 'First I look:',
  },
  {
    family: 'gemma3',
    title: 'printed',
    text: '```tool_code\nprint(default_api.read_file(file_path="src/a.ts"))\n```',
    calls: [read],
  },
];
