/**
 * Calls whose marks are written otherwise than the family's template has them, are missing, or stand too early; each with
 * how it is read: the family and the calls, or why it is none.
 */
import type { Readings } from './reading.ts';

export const spelledOtherwise: Record<string, Readings> = {
  gemma: {
    'spaces everywhere': [
      '<|tool_call> call: read_file { file_path : <|"|>a.ts<|"|> , limit : 3 } <tool_call|>',
      'gemma4 read_file {"file_path":"a.ts","limit":3}',
    ],
    'keys between marks, in quotes': [
      '<|tool_call>call:read_file{<|"|>file_path<|"|>:<|"|>a.ts<|"|>,"limit":3,\'offset\':2}<tool_call|>',
      'gemma4 read_file {"file_path":"a.ts","limit":3,"offset":2}',
    ],
    'plain quotes with escapes': [
      '<|tool_call>call:grep{pattern:"a \\"b\\" \\n",path:"src"}<tool_call|>',
      'gemma4 grep {"pattern":"a \\"b\\" \\n","path":"src"}',
    ],
    'None, nil, true, numbers': [
      '<|tool_call>call:web{a:None,b:nil,c:True,d:-1.5e3,e:}<tool_call|>',
      'gemma4 web {"a":null,"b":null,"c":true,"d":-1500,"e":""}',
    ],
    'lists and objects': [
      '<|tool_call>call:web{a:[1,<|"|>b<|"|>,[true],{c:1}],d:{e:{f:2}}}<tool_call|>',
      'gemma4 web {"a":[1,"b",[true],{"c":1}],"d":{"e":{"f":2}}}',
    ],
    'a prefix before the name': [
      '<|tool_call>call:default_api:read_file{file_path:<|"|>a.ts<|"|>}<tool_call|>',
      'gemma4 read_file {"file_path":"a.ts"}',
    ],
    'no braces': ['<|tool_call>call:read_file a.ts<tool_call|>', 'malformed: the tool call cannot be read'],
    'a key twice, harmless': [
      '<|tool_call>call:read_file{file_path:<|"|>a<|"|>,file_path:<|"|>b<|"|>}<tool_call|>',
      'malformed: read_file: its arguments are cut off or unreadable',
    ],
    'a list without a comma': ['<|tool_call>call:web{a:[1 2]}<tool_call|>', 'gemma4 web {"a":["1 2"]}'],
    'the second call broken': [
      '<|tool_call>call:read_file{file_path:<|"|>a.ts<|"|>}call:shell{command:<|"|>ls<tool_call|>',
      'gemma4 read_file {"file_path":"a.ts"} repaired … shell: its arguments are cut off or unreadable',
    ],
  },
  hermes: {
    'separators between values': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"}} , ; \n{"name": "read_file", "arguments": {"file_path": "a.ts"}}</tool_call>',
      'hermes read_file {"file_path":"a.ts"} ; read_file {"file_path":"a.ts"}',
    ],
    'an empty list in a fence': ['<tool_call>```json\n[ ]\n```</tool_call>', 'empty'],
    'a list of objects without a name': [
      '<tool_call>[{"a": 1}]</tool_call>',
      'malformed: the tool call has no name',
    ],
    'open, closed by the next call': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"}}</tool_call>',
      'hermes read_file {"file_path":"a.ts"} repaired ; read_file {"file_path":"a.ts"}',
    ],
    'a name of blanks': [
      '<tool_call>{"name": " ", "arguments": {}}</tool_call>',
      'malformed: the tool call has no name',
    ],
    'a list of names': ['<tool_call>["read_file"]</tool_call>', 'malformed: the tool call has no name'],
    'a change and then a quoted mark': [
      '<tool_call>{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}</tool_call> `<tool_call>`',
      'hermes write_file {"file_path":"a.ts","content":"x"}',
    ],
    'a good one and a broken one': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a"}}{"name": </tool_call>',
      'hermes read_file {"file_path":"a"} … a value is missing',
    ],
    'a block without a name beside a good one': [
      '<tool_call>{"a": 1}</tool_call><tool_call>{"name": "read_file", "arguments": {"file_path": "a"}}</tool_call>',
      'hermes read_file {"file_path":"a"}',
    ],
  },
  glm: {
    spaces: [
      '<tool_call> read_file \n <arg_key> file_path </arg_key> \n <arg_value>a.ts</arg_value> \n </tool_call>',
      'glm read_file {"file_path":"a.ts"}',
    ],
    'values without marks': [
      '<tool_call>read_file<arg_key>file_path</arg_key> a.ts <arg_key>limit</arg_key>3</tool_call>',
      'glm read_file {"file_path":"a.ts","limit":3} repaired',
    ],
    'a value without marks, closed': [
      '<tool_call>read_file<arg_key>file_path</arg_key>a.ts</arg_value></tool_call>',
      'glm read_file {"file_path":"a.ts"} repaired',
    ],
    'a change whose value has no marks': [
      '<tool_call>shell<arg_key>command</arg_key>ls</tool_call>',
      'malformed: shell: the end of the value of "command" is ambiguous',
    ],
    'a change whose value is not closed': [
      '<tool_call>shell<arg_key>command</arg_key><arg_value>ls<arg_key>timeout_ms</arg_key><arg_value>3</arg_value></tool_call>',
      'glm shell {"command":"ls","timeout_ms":3} repaired',
    ],
    'a key not closed': [
      '<tool_call>read_file<arg_key>file_path</tool_call>',
      'malformed: the value of "" is cut off',
    ],
    'a name and nothing, cut off': ['<tool_call>list_directory', 'malformed: the tool call is cut off'],
    'a separator, cut off': ['<tool_call>list_directory<tool_sep>', 'hunyuan list_directory {}'],
    'a separator and JSON': [
      '<tool_call>read_file<tool_sep>{"file_path": "a.ts"}</tool_call>',
      'glm read_file {"file_path":"a.ts"}',
    ],
    'a word with one line break': [
      '<tool_call>web<arg_key>a</arg_key><arg_value>\nx</arg_value><arg_key>b</arg_key><arg_value>x\n</arg_value></tool_call>',
      'glm web {"a":"\\nx","b":"x\\n"}',
    ],
  },
  'minimax m3': {
    'text beside elements': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="web">]<]minimax[>[<a> x ]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[</a>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'malformed: web: the end of the value of "a" is ambiguous',
    ],
    'no name': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke>]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'malformed: the tool call cannot be read',
    ],
    'the second cut off': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="read_file">]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[</invoke>]<]minimax[>[<invoke name="shell">]<]minimax[>[<command>l',
      'minimax-m3 read_file {"file_path":"a"} … the value of "command" is cut off',
    ],
    'closed too early': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="write_file">]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[<content>x]<]minimax[>[</tool_call>',
      'malformed: write_file: the end of the value of "content" is ambiguous',
    ],
  },
  element: {
    'attributes in single quotes, spaces': [
      "<read_file  file_path = 'a.ts'  limit='3' />",
      'named-element read_file {"file_path":"a.ts","limit":3} repaired',
    ],
    'no argument of the tool': ['<read_file><colour>red</colour></read_file>', 'final_answer'],
    'JSON and more inside': ['<read_file>{"file_path": "a.ts"} or so</read_file>', 'final_answer'],
    'elements and more inside': [
      '<read_file><file_path>a.ts</file_path> or so</read_file>',
      'malformed: the call of read_file cannot be read',
    ],
    'not closed, a change before': [
      '{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}\n<write_file><path>a',
      'json write_file {"file_path":"a.ts","content":"x"} … the call of write_file is cut off',
    ],
    'in backticks': ['`<read_file><file_path>a.ts</file_path></read_file>`', 'final_answer'],
    'four letters': ['<glob><pattern>*.ts</pattern></glob>', 'named-element glob {"pattern":"*.ts"}'],
    'a word of the prose': ['<search><pattern>x</pattern></search>', 'final_answer'],
    CRLF: [
      '<write_file>\r\n<path>a.ts</path>\r\n<content>\r\nx\r\ny\r\n</content>\r\n</write_file>',
      'named-element write_file {"path":"a.ts","content":"x\\r\\ny"}',
    ],
    'a list in JSON inside': [
      '<read_file>{"file_path": "a"</read_file>',
      'named-element read_file {"file_path":"a"} repaired',
    ],
  },
  'tool use': {
    'elements beside it and more': [
      '<tool_use><name>read_file</name><file_path>a.ts</file_path> x</tool_use>',
      'malformed: the arguments of read_file cannot be read',
    ],
    nothing: ['<tool_use><name>list_directory</name></tool_use>', 'tool-use list_directory {}'],
  },
  xml: {
    'quotes and spaces around names': [
      '<tool_call>\n<function="read_file">\n<parameter = "file_path" >\na.ts\n</parameter>\n</function>\n</tool_call>',
      'malformed: the tool call cannot be read',
    ],
    'no parameters and not closed': [
      '<tool_call>\n<function=list_directory>',
      'malformed: list_directory: the tool call is cut off before its arguments',
    ],
    'no parameters, closed by the outer mark': [
      '<tool_call>\n<function=list_directory>\n</tool_call>',
      'qwen3-coder list_directory {}',
    ],
    'marks in place of a name': [
      '<tool_call>\n<function=`list_directory`>\n</function>\n</tool_call>',
      'malformed: the tool call cannot be read',
    ],
    'a value not closed': [
      '<tool_call>\n<function=shell>\n<parameter=command>\nls\n</function>\n</tool_call>',
      'qwen3-coder shell {"command":"ls"} repaired',
    ],
    'a tag without an end': [
      '<tool_call>\n<function=read_file>\n<parameter=file_path',
      'malformed: read_file: the tool call is cut off before its arguments',
    ],
    'a value not closed that shows the format': [
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\na.md\n</parameter>\n<parameter=content>\nWrite\n<parameter=key>\nand a value\n</function>\n</tool_call>',
      'malformed: write_file: the end of the value of "content" is ambiguous',
    ],
    'an empty value': [
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\na\n</parameter>\n<parameter=content>\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder write_file {"file_path":"a","content":""}',
    ],
    'quotes around a name': [
      '<tool_call>\n<function="read_file">\n<parameter="file_path">\na\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a"}',
    ],
  },
  dsml: {
    'a value that is no JSON': [
      '<｜DSML｜function_calls><｜DSML｜invoke name="web"><｜DSML｜parameter name="a" string="false">x y</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
      'deepseek-dsml web {"a":"x y"}',
    ],
  },
  'minimax m2': {
    'line breaks of a text': [
      '<invoke name="write_file"><parameter name="file_path">\na\n</parameter><parameter name="content">\nx\n</parameter></invoke>',
      'minimax-m2 write_file {"file_path":"a","content":"\\nx\\n"}',
    ],
  },
  mistral: {
    'a word': ['[TOOL_CALLS] is the mark', 'final_answer'],
    'the second cut off': [
      '[TOOL_CALLS]read_file[ARGS]{"file_path": "a"}[TOOL_CALLS]shell[ARGS]{"command": "l',
      'mistral read_file {"file_path":"a"} … shell: the tool call is cut off in the middle of a value',
    ],
  },
  deepseek: {
    spaces: [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜> function <｜tool▁sep｜> read_file \n```json\n{"file_path": "a"}\n```\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'deepseek-v3 read_file {"file_path":"a"}',
    ],
    'no separator': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file {"file_path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'malformed: the tool call cannot be read',
    ],
    'another kind without a name': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜><｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'deepseek-v3.1 read_file {}',
    ],
    'cut off before its name': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>',
      'malformed: the tool call is cut off',
    ],
    'cut off': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"file_path": "a',
      'malformed: read_file: the tool call is cut off in the middle of a value',
    ],
    'broken JSON of a change': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>shell\n{"command": "echo "hi""}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'malformed: shell: a string contains quotes that are not escaped, or a comma is missing',
    ],
  },
  kimi: {
    'text as arguments': [
      '<|tool_call_begin|>shell<|tool_call_argument_begin|> ls <|tool_call_end|>',
      'kimi-k2 shell "ls"',
    ],
    'no arguments, cut off': [
      '<|tool_call_begin|>list_directory<|tool_call_argument_begin|>',
      'malformed: list_directory: the tool call is cut off before its arguments',
    ],
    'text as arguments, cut off': [
      '<|tool_call_begin|>grep<|tool_call_argument_begin|>a b',
      'kimi-k2 grep "a b"',
    ],
    'cut off in an object': [
      '<|tool_call_begin|>grep<|tool_call_argument_begin|>{"pattern": "a", "path"',
      'malformed: grep: a colon is missing after "path"',
    ],
    'broken beyond mending': [
      '<|tool_call_begin|>grep<|tool_call_argument_begin|>{{{:::}<|tool_call_end|>',
      'malformed: grep: a key is missing, or a string contains quotes that are not escaped',
    ],
  },
  functionary: {
    'a line that is no tool': ['look_here\n{"file_path": "a"}', 'final_answer'],
    'a space before the name': [
      '  read_file \n\n {"file_path": "a"}',
      'functionary read_file {"file_path":"a"}',
    ],
  },
  python: {
    'comments between arguments': [
      'So:\n```python\nread_file( # the file\n  file_path="a.ts", # its path\n  limit=3 # lines\n)\n```',
      'pythonic read_file {"file_path":"a.ts","limit":3} | So:',
    ],
    'a comment between calls': [
      '[read_file(file_path="a.ts"), # or\nglob(pattern="*")]',
      'pythonic read_file {"file_path":"a.ts"} ; glob {"pattern":"*"}',
    ],
    'a comment between lists': [
      '[read_file(file_path="a.ts")]  #or\n[read_file(file_path="b.ts")]',
      'pythonic read_file {"file_path":"a.ts"} ; read_file {"file_path":"b.ts"}',
    ],
    'an explanation that shows it again': [
      '[read_file(file_path="a.ts")]\n\nThat is written as:\n```python\nread_file(file_path="a.ts")\n```',
      'pythonic read_file {"file_path":"a.ts"}',
    ],
  },
  react: {
    'no tool': ['Action: look\nAction Input: {"file_path": "a"}', 'final_answer'],
  },
};
