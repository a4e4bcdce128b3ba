/** What model families write; each with how it is read: the family and the calls, and the prose before them. */
import type { Readings } from './reading.ts';

const readJson = '{"name": "read_file", "arguments": {"file_path": "src/a.ts"}}';
const globJson = '{"name": "glob", "arguments": {"pattern": "**/*.ts"}}';
const grepJson = '{"name":"grep","arguments":{"pattern":"x y","max_results":5,"case_sensitive":false}}';
const code = 'if (a) {\n  return "</tool_call>";\n}\n';
const write = { name: 'write_file', arguments: { file_path: 'a.ts', content: code } };
const writeJson = JSON.stringify(write);

export const families: Record<string, Readings> = {
  hermes: {
    'one call': [`<tool_call>\n${readJson}\n</tool_call>`, 'hermes read_file {"file_path":"src/a.ts"}'],
    'no line breaks': [`<tool_call>${readJson}</tool_call>`, 'hermes read_file {"file_path":"src/a.ts"}'],
    'two calls with prose before': [
      `I will look.\n<tool_call>\n${readJson}\n</tool_call>\n<tool_call>\n${globJson}\n</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | I will look.',
    ],
    'prose after the call is left out': [
      `<tool_call>${readJson}</tool_call>\nNow I wait.`,
      'hermes read_file {"file_path":"src/a.ts"}',
    ],
    unclosed: [`<tool_call>\n${readJson}`, 'hermes read_file {"file_path":"src/a.ts"}'],
    'two calls, none closed': [
      `<tool_call>\n${readJson}\n<tool_call>\n${globJson}`,
      'hermes read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'two objects in one tag': [
      `<tool_call>\n${readJson}\n${globJson}\n</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'a list in the tag': [
      `<tool_call>[${readJson}, ${globJson}]</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'a code fence in the tag': [
      `<tool_call>\n\`\`\`json\n${readJson}\n\`\`\`\n</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"}',
    ],
    'a code fence around the tag': [
      `\`\`\`xml\n<tool_call>\n${readJson}\n</tool_call>\n\`\`\``,
      'hermes read_file {"file_path":"src/a.ts"}',
    ],
    'the closing tag inside a string': [
      `<tool_call>${writeJson}</tool_call>`,
      'hermes write_file {"file_path":"a.ts","content":"if (a) {\\n  return \\"</tool_call>\\";\\n}\\n"}',
    ],
    'a call in a string is an argument': [
      `<tool_call>${JSON.stringify({ name: 'write_file', arguments: { file_path: 'x', content: readJson } })}</tool_call>`,
      'hermes write_file {"file_path":"x","content":"{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"file_path\\": \\"src/a.ts\\"}}"}',
    ],
    'arguments as a JSON string': [
      `<tool_call>{"name":"read_file","arguments":"{\\"file_path\\":\\"src/a.ts\\"}"}</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"}',
    ],
    'a missing closing brace': [
      `<tool_call>\n{"name": "read_file", "arguments": {"file_path": "src/a.ts"}\n</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"} repaired',
    ],
    'a closing brace too many': [
      `<tool_call>${readJson}}</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"}',
    ],
    'single quotes': [
      `<tool_call>{'name': 'read_file', 'arguments': {'file_path': 'src/a.ts'}}</tool_call>`,
      'hermes read_file {"file_path":"src/a.ts"} repaired',
    ],
    'an unknown name is still a call': [
      '<tool_call>{"name": "teleport", "arguments": {"to": "x"}}</tool_call>',
      'hermes teleport {"to":"x"}',
    ],
    'no arguments': ['<tool_call>{"name": "list_directory"}</tool_call>', 'hermes list_directory {}'],
    'null arguments': [
      '<tool_call>{"name": "list_directory", "arguments": null}</tool_call>',
      'hermes list_directory {}',
    ],
    'carriage returns': [
      `<tool_call>\r\n${readJson}\r\n</tool_call>\r\n`,
      'hermes read_file {"file_path":"src/a.ts"}',
    ],
    "Qwen 2.5 Coder's tag": [`<tools>\n${readJson}\n</tools>`, 'hermes read_file {"file_path":"src/a.ts"}'],
    'laguna: JSON inside': [`<tool_call>${globJson}</tool_call>`, 'hermes glob {"pattern":"**/*.ts"}'],
    'granite 3: a list in the tag': [`<tool_call>[${readJson}]`, 'hermes read_file {"file_path":"src/a.ts"}'],
  },
  'qwen3-coder': {
    'one call': [
      '<tool_call>\n<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"src/a.ts"}',
    ],
    'values typed by the schema': [
      '<tool_call>\n<function=grep>\n<parameter=pattern>\nx y\n</parameter>\n<parameter=max_results>\n5\n</parameter>\n<parameter=case_sensitive>\nFalse\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"pattern":"x y","max_results":5,"case_sensitive":false}',
    ],
    'the outer tag missing': [
      'Looking.\n<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n</function>',
      'qwen3-coder read_file {"file_path":"src/a.ts"} | Looking.',
    ],
    'only the closing outer tag': [
      '<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"src/a.ts"}',
    ],
    'two functions in one tag': [
      '<tool_call><function=read_file><parameter=file_path>src/a.ts</parameter></function><function=glob><parameter=pattern>**/*.ts</parameter></function></tool_call>',
      'qwen3-coder read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'unclosed function': [
      '<tool_call>\n<function=read_file>\n<parameter=file_path>\nsrc/a.ts\n</parameter>\n',
      'qwen3-coder read_file {"file_path":"src/a.ts"}',
    ],
    'no parameters': [
      '<tool_call>\n<function=list_directory>\n</function>\n</tool_call>',
      'qwen3-coder list_directory {}',
    ],
    'a JSON file is an argument': [
      `<tool_call>\n<function=write_file>\n<parameter=file_path>\nx.json\n</parameter>\n<parameter=content>\n${readJson}\n</parameter>\n</function>\n</tool_call>`,
      'qwen3-coder write_file {"file_path":"x.json","content":"{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"file_path\\": \\"src/a.ts\\"}}"}',
    ],
    'inner line breaks and spaces survive': [
      '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>\n\n  indented\n\n</parameter></function></tool_call>',
      'qwen3-coder write_file {"file_path":"a","content":"\\n  indented\\n"}',
    ],
    'the closing tag inside a value': [
      '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>\nsay "</parameter>" twice\n</parameter></function></tool_call>',
      'qwen3-coder write_file {"file_path":"a","content":"say \\"</parameter>\\" twice"}',
    ],
    'a file that documents the format': [
      '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>\n<function=f>\n<parameter=k>\nv\n</parameter>\n</function>\nEnd.\n</parameter></function></tool_call>',
      'qwen3-coder write_file {"file_path":"a","content":"<function=f>\\n<parameter=k>\\nv\\n</parameter>\\n</function>\\nEnd."}',
    ],
    'a forgotten closing tag': [
      '<tool_call>\n<function=grep>\n<parameter=path>\na\n<parameter=pattern>\nx\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"path":"a","pattern":"x"} repaired',
    ],
    'a name as an attribute': [
      '<function name="read_file"><param name="file_path">src/a.ts</param></function>',
      'qwen3-coder read_file {"file_path":"src/a.ts"}',
    ],
    'text that looks like a number stays text': [
      '<tool_call><function=write_file><parameter=file_path>a</parameter><parameter=content>42</parameter></function></tool_call>',
      'qwen3-coder write_file {"file_path":"a","content":"42"}',
    ],
    'functionary 3.1: JSON in the function tag': [
      '<function=read_file>{"file_path": "src/a.ts"}</function>',
      'qwen3-coder read_file {"file_path":"src/a.ts"}',
    ],
  },
  'seed-oss': {
    'one call': [
      '<seed:tool_call>\n<function=read_file>\n<parameter=file_path>src/a.ts</parameter>\n</function>\n</seed:tool_call>',
      'seed-oss read_file {"file_path":"src/a.ts"}',
    ],
    'thinking before': [
      '<seed:think>hm</seed:think>Go.<seed:tool_call><function=glob><parameter=pattern>**/*.ts</parameter></function></seed:tool_call>',
      'seed-oss glob {"pattern":"**/*.ts"} | Go.',
    ],
  },
  functionary: {
    '3.2: name on a line of its own': [
      'read_file\n{"file_path": "src/a.ts"}',
      'functionary read_file {"file_path":"src/a.ts"}',
    ],
    '3.2: prose channel and two calls': [
      '>>>all\nLooking.\n>>>read_file\n{"file_path": "src/a.ts"}\n>>>glob\n{"pattern": "**/*.ts"}',
      'functionary read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Looking.',
    ],
  },
  llama3: {
    'python tag': [
      '<|python_tag|>{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}',
      'llama3 read_file {"file_path":"src/a.ts"}',
    ],
    'several separated by semicolons': [
      '<|python_tag|>{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}; {"name": "glob", "parameters": {"pattern": "**/*.ts"}}',
      'llama3 read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'typed by the schema': [
      '<|python_tag|>{"type": "function", "name": "grep", "parameters": {"pattern": "x y", "max_results": "5", "case_sensitive": "false"}}<|eom_id|>',
      'llama3 grep {"pattern":"x y","max_results":5,"case_sensitive":false} repaired',
    ],
    'built-in tool call': [
      '<|python_tag|>read_file.call(file_path="src/a.ts")',
      'llama3 read_file {"file_path":"src/a.ts"}',
    ],
  },
  llama4: {
    'between marks': [
      '<|python_start|>[read_file(file_path=\'src/a.ts\'), glob(pattern="**/*.ts")]<|python_end|>',
      'llama4 read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
  },
  pythonic: {
    bare: ["[read_file(file_path='src/a.ts')]", 'pythonic read_file {"file_path":"src/a.ts"}'],
    'after prose': [
      'Sure:\n[grep(pattern="x y", max_results=5, case_sensitive=False)]',
      'pythonic grep {"pattern":"x y","max_results":5,"case_sensitive":false} | Sure:',
    ],
    'nested literals': [
      "[update_plan(steps=[{'title': 'it\\'s \"a\"', 'done': True, 'n': [1, -2.5, None]}], note='a\\nb')]",
      'pythonic update_plan {"steps":[{"title":"it\'s \\"a\\"","done":true,"n":[1,-2.5,null]}],"note":"a\\nb"}',
    ],
    'triple quotes, prefixes and joined strings': [
      '[write_file(file_path=r"C:\\n", content="""a "b"\n""" \'c\')]',
      'pythonic write_file {"file_path":"C:\\\\n","content":"a \\"b\\"\\nc"}',
    ],
    'values without names': ['[read_file("src/a.ts")]', 'pythonic read_file {"file_path":"src/a.ts"}'],
    'an object as the only value': [
      'read_file({"file_path": "src/a.ts"})',
      'pythonic read_file {"file_path":"src/a.ts"}',
    ],
    'no arguments': ['[list_directory()]', 'pythonic list_directory {}'],
    'only a call': ['read_file(file_path="src/a.ts")', 'pythonic read_file {"file_path":"src/a.ts"}'],
    'only a call in a fence': [
      '```python\nread_file("src/a.ts")\n```',
      'pythonic read_file {"file_path":"src/a.ts"}',
    ],
    'in a Python fence in prose': [
      'First I look:\n```python\nread_file(file_path="src/a.ts")\n```\nThen I fix it.',
      'pythonic read_file {"file_path":"src/a.ts"} | First I look:',
    ],
  },
  lfm2: {
    pythonic: [
      '<|tool_call_start|>[read_file(file_path="src/a.ts")]<|tool_call_end|>Reading.',
      'lfm2 read_file {"file_path":"src/a.ts"}',
    ],
    JSON: [`<|tool_call_start|>[${readJson}]<|tool_call_end|>`, 'lfm2 read_file {"file_path":"src/a.ts"}'],
  },
  olmo3: {
    'one call a line': [
      '<function_calls>\nread_file(file_path="src/a.ts")\nglob(pattern="**/*.ts")\n</function_calls>',
      'olmo3 read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    unclosed: [
      'Ok\n<function_calls>\nread_file(file_path="src/a.ts")',
      'olmo3 read_file {"file_path":"src/a.ts"} | Ok',
    ],
  },
  mistral: {
    'a list': [`[TOOL_CALLS] [${readJson}]`, 'mistral read_file {"file_path":"src/a.ts"}'],
    'a list with ids': [
      '[TOOL_CALLS][{"name": "read_file", "arguments": {"file_path": "src/a.ts"}, "id": "abcDEF123"}]',
      'mistral read_file {"file_path":"src/a.ts"} #abcDEF123',
    ],
    'name and arguments': [
      '[TOOL_CALLS]read_file[ARGS]{"file_path": "src/a.ts"}',
      'mistral read_file {"file_path":"src/a.ts"}',
    ],
    repeated: [
      'Ok.[TOOL_CALLS]read_file[ARGS]{"file_path": "src/a.ts"}[TOOL_CALLS]glob[ARGS]{"pattern": "**/*.ts"}</s>',
      'mistral read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Ok.',
    ],
    'with a call id': [
      '[TOOL_CALLS]read_file[CALL_ID]x1[ARGS]{"file_path": "src/a.ts"}',
      'mistral read_file {"file_path":"src/a.ts"} #x1',
    ],
    'without [ARGS]': [
      '[TOOL_CALLS]read_file{"file_path": "src/a.ts"}',
      'mistral read_file {"file_path":"src/a.ts"}',
    ],
  },
  'deepseek-v3': {
    'a fence in the call': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"file_path": "src/a.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'deepseek-v3 read_file {"file_path":"src/a.ts"}',
    ],
    'two calls': [
      'Ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"file_path": "src/a.ts"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>glob\n```json\n{"pattern": "**/*.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
      'deepseek-v3 read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Ok',
    ],
  },
  'deepseek-v3.1': {
    'the name before the separator': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"file_path": "src/a.ts"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>glob<｜tool▁sep｜>{"pattern": "**/*.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'deepseek-v3.1 read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'the outer mark missing and unclosed': [
      '<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"file_path": "src/a.ts"}',
      'deepseek-v3.1 read_file {"file_path":"src/a.ts"}',
    ],
  },
  'deepseek-dsml': {
    'v3.2': [
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="grep">\n<｜DSML｜parameter name="pattern" string="true">x y</｜DSML｜parameter>\n<｜DSML｜parameter name="max_results" string="false">5</｜DSML｜parameter>\n<｜DSML｜parameter name="case_sensitive" string="false">false</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      'deepseek-dsml grep {"pattern":"x y","max_results":5,"case_sensitive":false}',
    ],
    v4: [
      'Go\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="file_path" string="true">src/a.ts</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="glob">\n<｜DSML｜parameter name="pattern" string="true">**/*.ts</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      'deepseek-dsml read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Go',
    ],
    'the outer tag missing': [
      '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="file_path" string="true">src/a.ts</｜DSML｜parameter></｜DSML｜invoke>',
      'deepseek-dsml read_file {"file_path":"src/a.ts"}',
    ],
  },
  glm: {
    'line breaks between the parts': [
      '<tool_call>read_file\n<arg_key>file_path</arg_key>\n<arg_value>src/a.ts</arg_value>\n</tool_call>',
      'glm read_file {"file_path":"src/a.ts"}',
    ],
    'no line breaks, typed by the schema': [
      '<tool_call>grep<arg_key>pattern</arg_key><arg_value>x y</arg_value><arg_key>max_results</arg_key><arg_value>5</arg_value><arg_key>case_sensitive</arg_key><arg_value>false</arg_value></tool_call>',
      'glm grep {"pattern":"x y","max_results":5,"case_sensitive":false}',
    ],
    'no arguments': ['<tool_call>list_directory\n</tool_call>', 'glm list_directory {}'],
    'two calls, prose before': [
      'Ok\n<tool_call>read_file\n<arg_key>file_path</arg_key>\n<arg_value>src/a.ts</arg_value>\n</tool_call>\n<tool_call>glob\n<arg_key>pattern</arg_key>\n<arg_value>**/*.ts</arg_value>\n</tool_call>',
      'glm read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Ok',
    ],
    'a value of several lines keeps its last line break': [
      '<tool_call>write_file<arg_key>file_path</arg_key><arg_value>a</arg_value><arg_key>content</arg_key><arg_value>x\ny\n</arg_value></tool_call>',
      'glm write_file {"file_path":"a","content":"x\\ny\\n"}',
    ],
    'a name and then JSON': [
      '<tool_call>read_file\n{"file_path": "src/a.ts"}\n</tool_call>',
      'glm read_file {"file_path":"src/a.ts"}',
    ],
  },
  hunyuan: {
    'a separator after the name': [
      '<tool_calls>\n<tool_call>read_file<tool_sep>\n<arg_key>file_path</arg_key>\n<arg_value>src/a.ts</arg_value>\n</tool_call>\n</tool_calls>',
      'hunyuan read_file {"file_path":"src/a.ts"}',
    ],
    'no arguments, prose before': [
      'Hm\n<tool_calls><tool_call>list_directory<tool_sep></tool_call></tool_calls>',
      'hunyuan list_directory {} | Hm',
    ],
  },
  'kimi-k2': {
    'a section': [
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"file_path": "src/a.ts"}<|tool_call_end|><|tool_call_begin|>functions.glob:1<|tool_call_argument_begin|>{"pattern": "**/*.ts"}<|tool_call_end|><|tool_calls_section_end|>',
      'kimi-k2 read_file {"file_path":"src/a.ts"} #functions.read_file:0 ; glob {"pattern":"**/*.ts"} #functions.glob:1',
    ],
    'the section unclosed, spaces between': [
      'I look. <|tool_calls_section_begin|> <|tool_call_begin|> functions.read_file:12 <|tool_call_argument_begin|> {"file_path": "src/a.ts"} <|tool_call_end|>',
      'kimi-k2 read_file {"file_path":"src/a.ts"} #functions.read_file:12 | I look.',
    ],
    'a plain name': [
      '<|tool_call_begin|>read_file<|tool_call_argument_begin|>{"file_path": "src/a.ts"}<|tool_call_end|>',
      'kimi-k2 read_file {"file_path":"src/a.ts"}',
    ],
  },
  'tool-calls': {
    'minimax m1: one JSON per line': [
      `<tool_calls>\n${readJson}\n${globJson}\n</tool_calls>`,
      'tool-calls read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'jamba: a list': [
      `<tool_calls>[${readJson}]</tool_calls>`,
      'tool-calls read_file {"file_path":"src/a.ts"}',
    ],
    'apriel: prose before, unclosed': [
      `Ok.\n<tool_calls>[${readJson}, ${globJson}]`,
      'tool-calls read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Ok.',
    ],
  },
  'minimax-m2': {
    'one call': [
      '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="file_path">src/a.ts</parameter>\n</invoke>\n</minimax:tool_call>',
      'minimax-m2 read_file {"file_path":"src/a.ts"}',
    ],
    'two calls typed by the schema': [
      '<minimax:tool_call><invoke name="grep"><parameter name="pattern">x y</parameter><parameter name="max_results">5</parameter><parameter name="case_sensitive">false</parameter></invoke><invoke name="glob"><parameter name="pattern">**/*.ts</parameter></invoke></minimax:tool_call>',
      'minimax-m2 grep {"pattern":"x y","max_results":5,"case_sensitive":false} ; glob {"pattern":"**/*.ts"}',
    ],
    'the outer tag missing': [
      '<invoke name="read_file">\n<parameter name="file_path">src/a.ts</parameter>\n</invoke>',
      'minimax-m2 read_file {"file_path":"src/a.ts"}',
    ],
  },
  'minimax-m3': {
    'a mark before each tag': [
      ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="grep">]<]minimax[>[<pattern>x y]<]minimax[>[</pattern>]<]minimax[>[<max_results>5]<]minimax[>[</max_results>]<]minimax[>[<case_sensitive>false]<]minimax[>[</case_sensitive>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
      'minimax-m3 grep {"pattern":"x y","max_results":5,"case_sensitive":false}',
    ],
    'lists, objects, and other tags in values': [
      'Ok ]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="update_plan">]<]minimax[>[<steps>]<]minimax[>[<item>]<]minimax[>[<title><b>x</b>]<]minimax[>[</title>]<]minimax[>[</item>]<]minimax[>[</steps>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'minimax-m3 update_plan {"steps":[{"title":"<b>x</b>"}]} | Ok',
    ],
  },
  gemma4: {
    'one call': [
      '<|tool_call>call:grep{pattern:<|"|>x y<|"|>,max_results:5,case_sensitive:false}<tool_call|>',
      'gemma4 grep {"pattern":"x y","max_results":5,"case_sensitive":false}',
    ],
    'two calls and nesting': [
      '<|tool_call>call:read_file{file_path:<|"|>src/a.ts<|"|>}<tool_call|><|tool_call>call:update_plan{steps:[{title:<|"|>a, {b}: "c"<|"|>,n:-1.5,ok:true,x:null}]}<tool_call|>',
      'gemma4 read_file {"file_path":"src/a.ts"} ; update_plan {"steps":[{"title":"a, {b}: \\"c\\"","n":-1.5,"ok":true,"x":null}]}',
    ],
    'no arguments, unclosed': ['Ok <|tool_call>call:list_directory{}', 'gemma4 list_directory {} | Ok'],
  },
  functiongemma: {
    'one call': [
      '<start_function_call>call:read_file{file_path:<escape>src/a.ts<escape>}<end_function_call>',
      'functiongemma read_file {"file_path":"src/a.ts"}',
    ],
    'two calls': [
      '<start_function_call>call:read_file{file_path:<escape>src/a.ts<escape>}<end_function_call><start_function_call>call:glob{pattern:<escape>**/*.ts<escape>}<end_function_call><start_function_response>',
      'functiongemma read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
  },
  granite3: {
    'a list after the mark': [`<|tool_call|>[${readJson}]`, 'granite3 read_file {"file_path":"src/a.ts"}'],
  },
  'granite-20b': {
    several: [
      `<function_call> ${readJson}\n<function_call> ${globJson}`,
      'granite-20b read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
  },
  'phi4-mini': {
    'one call': [`functools[${readJson}]`, 'phi4-mini read_file {"file_path":"src/a.ts"}'],
    'prose before': [
      `Sure. functools[${readJson}, ${globJson}]`,
      'phi4-mini read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Sure.',
    ],
  },
  nemotron: {
    'a list': [
      `<TOOLCALL>[${readJson}, ${globJson}]</TOOLCALL>`,
      'nemotron read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
  },
  cohere: {
    'tool_name and parameters': [
      '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "read_file", "parameters": {"file_path": "src/a.ts"}}\n]<|END_ACTION|>',
      'cohere read_file {"file_path":"src/a.ts"} #0',
    ],
  },
  apertus: {
    'the name as the key': [
      '<|tools_prefix|>[{"read_file": {"file_path": "src/a.ts"}}, {"glob": {"pattern": "**/*.ts"}}]<|tools_suffix|>',
      'apertus read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
  },
  internlm2: {
    'plugin action': [
      'Ok<|action_start|><|plugin|>\n{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}<|action_end|>',
      'internlm2 read_file {"file_path":"src/a.ts"} | Ok',
    ],
  },
  longcat: {
    JSON: [
      `<longcat_tool_call>${readJson}</longcat_tool_call>`,
      'longcat read_file {"file_path":"src/a.ts"}',
    ],
    pairs: [
      '<longcat_tool_call>grep\n<longcat_arg_key>pattern</longcat_arg_key>\n<longcat_arg_value>x y</longcat_arg_value>\n<longcat_arg_key>max_results</longcat_arg_key>\n<longcat_arg_value>5</longcat_arg_value>\n<longcat_arg_key>case_sensitive</longcat_arg_key>\n<longcat_arg_value>false</longcat_arg_value>\n</longcat_tool_call>',
      'longcat grep {"pattern":"x y","max_results":5,"case_sensitive":false}',
    ],
  },
  gigachat3: {
    'role separator': [
      `Ok<|message_sep|>\n\nfunction call<|role_sep|>\n${readJson}`,
      'gigachat3 read_file {"file_path":"src/a.ts"} | Ok',
    ],
    'function_call mark': [`<|function_call|>${readJson}`, 'gigachat3 read_file {"file_path":"src/a.ts"}'],
  },
  harmony: {
    'commentary channel': [
      '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"file_path": "src/a.ts"}<|call|>',
      'harmony read_file {"file_path":"src/a.ts"}',
    ],
  },
  gemma3: {
    'two fences of one call each': [
      `\`\`\`function_call\n${readJson}\n\`\`\`\n\n\`\`\`function_call\n${globJson}\n\`\`\``,
      'gemma3 read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'a tool_code fence': [
      'Ok.\n```tool_code\nread_file(file_path="src/a.ts")\nglob(pattern="**/*.ts")\n```',
      'gemma3 read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Ok.',
    ],
    printed: [
      '```tool_code\nprint(default_api.read_file(file_path="src/a.ts"))\n```',
      'gemma3 read_file {"file_path":"src/a.ts"}',
    ],
  },
  react: {
    'Action and Action Input': [
      'Thought: look.\nAction: read_file\nAction Input: {"file_path": "src/a.ts"}\nObservation: {"name": "x"}',
      'react read_file {"file_path":"src/a.ts"} | Thought: look.',
    ],
  },
  json: {
    'xlam: a list in a fence after prose': [
      `Here you go:\n\`\`\`json\n[${readJson}, ${globJson}]\n\`\`\``,
      'json read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | Here you go:',
    ],
    'one object': [readJson, 'json read_file {"file_path":"src/a.ts"}'],
    compact: [grepJson, 'json grep {"pattern":"x y","max_results":5,"case_sensitive":false}'],
    'several after each other': [
      `${readJson}\n${globJson}`,
      'json read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'separated by semicolons': [
      `${readJson}; ${globJson}`,
      'json read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    'in prose': [`I call ${readJson} now.`, 'json read_file {"file_path":"src/a.ts"} | I call'],
    'in two fences': [
      `First:\n\`\`\`json\n${readJson}\n\`\`\`\nThen:\n\`\`\`json\n${globJson}\n\`\`\``,
      'json read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"} | First:',
    ],
    tool_calls: [
      `{"tool_calls": [{"name": "read_file", "parameters": {"file_path": "src/a.ts"}}, ${globJson}]}`,
      'json read_file {"file_path":"src/a.ts"} ; glob {"pattern":"**/*.ts"}',
    ],
    "OpenAI's own shape": [
      '{"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\\"file_path\\":\\"src/a.ts\\"}"}}]}',
      'json read_file {"file_path":"src/a.ts"} #c1',
    ],
    'braces and tags in a string': [
      writeJson,
      'json write_file {"file_path":"a.ts","content":"if (a) {\\n  return \\"</tool_call>\\";\\n}\\n"}',
    ],
    'arguments before the name': [
      '{"arguments": {"file_path": "src/a.ts"}, "name": "read_file"}',
      'json read_file {"file_path":"src/a.ts"}',
    ],
    'other keys that models use': [
      '{"tool": "read_file", "tool_input": {"file_path": "src/a.ts"}}',
      'json read_file {"file_path":"src/a.ts"}',
    ],
    'parameters beside the name': [
      '{"name": "read_file", "file_path": "src/a.ts"}',
      'json read_file {"file_path":"src/a.ts"}',
    ],
    'a wrapper of its own': [
      '{"thought": "look", "tool_call": {"name": "read_file", "arguments": {"file_path": "src/a.ts"}}}',
      'json read_file {"file_path":"src/a.ts"}',
    ],
  },
  'named-element': {
    'a call as an element named like the tool': [
      'I will write it.\n<write_to_file>\n<path>a.ts</path>\n<content>\nif (a) {\n  b();\n}\n</content>\n</write_to_file>',
      'named-element write_to_file {"path":"a.ts","content":"if (a) {\\n  b();\\n}"} | I will write it.',
    ],
    'with attributes': ['<read_file path="src/a.ts"/>', 'named-element read_file {"path":"src/a.ts"}'],
    'with JSON inside': [
      '<read_file>\n{"file_path": "src/a.ts"}\n</read_file>',
      'named-element read_file {"file_path":"src/a.ts"}',
    ],
  },
};
