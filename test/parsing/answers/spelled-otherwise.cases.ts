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
    words: [
      '<|tool_call>call:write_file{file_path:a.ts,content:plain text}<tool_call|>',
      'gemma4 write_file {"file_path":"a.ts","content":"plain text"}',
    ],
    'None, nil, true, numbers': [
      '<|tool_call>call:web{a:None,b:nil,c:True,d:-1.5e3,e:}<tool_call|>',
      'gemma4 web {"a":null,"b":null,"c":true,"d":-1500,"e":""}',
    ],
    'lists and objects': [
      '<|tool_call>call:web{a:[1,<|"|>b<|"|>,[true],{c:1}],d:{e:{f:2}}}<tool_call|>',
      'gemma4 web {"a":[1,"b",[true],{"c":1}],"d":{"e":{"f":2}}}',
    ],
    'trailing commas': ['<|tool_call>call:web{a:[1,],b:2,}<tool_call|>', 'gemma4 web {"a":[1],"b":2}'],
    'a prefix before the name': [
      '<|tool_call>call:default_api:read_file{file_path:<|"|>a.ts<|"|>}<tool_call|>',
      'gemma4 read_file {"file_path":"a.ts"}',
    ],
    'no name': ['<|tool_call>call:{a:1}<tool_call|>', 'malformed: the tool call cannot be read'],
    'no braces': ['<|tool_call>call:read_file a.ts<tool_call|>', 'malformed: the tool call cannot be read'],
    'a key twice, harmless': [
      '<|tool_call>call:read_file{file_path:<|"|>a<|"|>,file_path:<|"|>b<|"|>}<tool_call|>',
      'malformed: read_file: its arguments are cut off or unreadable',
    ],
    'no comma': ['<|tool_call>call:web{a:1 b:2}<tool_call|>', 'gemma4 web {"a":"1 b:2"}'],
    'a list without a comma': ['<|tool_call>call:web{a:[1 2]}<tool_call|>', 'gemma4 web {"a":["1 2"]}'],
    'a bare brace': [
      '<|tool_call>call:web{a:b{c}<tool_call|>',
      'malformed: web: its arguments are cut off or unreadable',
    ],
    'no colon': [
      '<|tool_call>call:web{a}<tool_call|>',
      'malformed: web: its arguments are cut off or unreadable',
    ],
    'an empty key': [
      '<|tool_call>call:web{:1}<tool_call|>',
      'malformed: web: its arguments are cut off or unreadable',
    ],
    'the second call broken': [
      '<|tool_call>call:read_file{file_path:<|"|>a.ts<|"|>}call:shell{command:<|"|>ls<tool_call|>',
      'gemma4 read_file {"file_path":"a.ts"} repaired … shell: its arguments are cut off or unreadable',
    ],
    'a key too long': [
      '<|tool_call>call:web{kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk:1}<tool_call|>',
      'malformed: web: its arguments are cut off or unreadable',
    ],
    '65 levels': [
      '<|tool_call>call:web{a:[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}<tool_call|>',
      'gemma4 web {"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}',
    ],
    'objects of 70 levels': [
      '<|tool_call>call:web{a:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:{b:1}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}<tool_call|>',
      'gemma4 web {"a":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":{"b":1}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}',
    ],
    'two blocks': [
      '<|tool_call>call:read_file{file_path:<|"|>a<|"|>}<tool_call|><|tool_call>call:read_file{file_path:<|"|>b<|"|>}<tool_call|>',
      'gemma4 read_file {"file_path":"a"} ; read_file {"file_path":"b"}',
    ],
    'a mark of a text behind the block': [
      '<|tool_call>call:shell{command:<|"|>ls<|"|>}<tool_call|> and <|"|>',
      'malformed: shell: a closing mark stands inside of a value, so that its end is not clear',
    ],
  },
  functiongemma: {
    'cut off in a text': [
      '<start_function_call>call:shell{command:<escape>ls',
      'malformed: shell: its arguments are cut off or unreadable',
    ],
  },
  hermes: {
    'separators between values': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"}} , ; \n{"name": "read_file", "arguments": {"file_path": "a.ts"}}</tool_call>',
      'hermes read_file {"file_path":"a.ts"} ; read_file {"file_path":"a.ts"}',
    ],
    'a fence around two': [
      '<tool_call>```json\n{"name": "read_file", "arguments": {"file_path": "a.ts"}}\n{"name": "read_file", "arguments": {"file_path": "a.ts"}}\n```</tool_call>',
      'hermes read_file {"file_path":"a.ts"} ; read_file {"file_path":"a.ts"}',
    ],
    'a fence of a long language': [
      '<tool_call>```abcdefghijklmnopqrstuvwxyz\n{"name": "read_file", "arguments": {"file_path": "a.ts"}}```</tool_call>',
      'json read_file {"file_path":"a.ts"} | <tool_call>```abcdefghijklmnopqrstuvwxyz',
    ],
    'an empty list': ['<tool_call>[]</tool_call>', 'empty'],
    'an empty list in a fence': ['<tool_call>```json\n[ ]\n```</tool_call>', 'empty'],
    'an object without a name': [
      '<tool_call>{"arguments": {"a": 1}}</tool_call>',
      'malformed: the tool call has no name',
    ],
    'a list of objects without a name': [
      '<tool_call>[{"a": 1}]</tool_call>',
      'malformed: the tool call has no name',
    ],
    'one without a name beside one with': [
      '<tool_call>{"a": 1}{"name": "read_file", "arguments": {"file_path": "a.ts"}}</tool_call>',
      'hermes read_file {"file_path":"a.ts"}',
    ],
    'open, closed by the mark': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"</tool_call>',
      'hermes read_file {"file_path":"a.ts"} repaired',
    ],
    'open, closed by the next call': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"}}</tool_call>',
      'hermes read_file {"file_path":"a.ts"} repaired ; read_file {"file_path":"a.ts"}',
    ],
    'open at the end': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"',
      'hermes read_file {"file_path":"a.ts"} repaired',
    ],
    'arguments as broken text': [
      '<tool_call>{"name": "read_file", "arguments": "{\\"file_path\\": \\"a.ts\\""}</tool_call>',
      'hermes read_file {"file_path":"a.ts"} repaired',
    ],
    'a name alone': ['<tool_call>read_file</tool_call>', 'glm read_file {}'],
    'a name and a line': ['<tool_call> read_file\n</tool_call>', 'glm read_file {}'],
    'a name of blanks': [
      '<tool_call>{"name": " ", "arguments": {}}</tool_call>',
      'malformed: the tool call has no name',
    ],
    'a list of names': ['<tool_call>["read_file"]</tool_call>', 'malformed: the tool call has no name'],
    'a closing mark in a text': [
      '<tool_call>{"name": "shell", "arguments": {"command": "echo </tool_call>"}}</tool_call>',
      'hermes shell {"command":"echo </tool_call>"}',
    ],
    'a closing mark after it': [
      '<tool_call>{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}</tool_call>\n</tool_call></tool_call>',
      'hermes write_file {"file_path":"a.ts","content":"x"}',
    ],
    'a closing mark far after it': [
      '<tool_call>{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}</tool_call>\nSo much.\n</tool_call>',
      'hermes write_file {"file_path":"a.ts","content":"x"}',
    ],
    'words around unreadable': [
      '<tool_call>I call nothing</tool_call>',
      'malformed: the tool call cannot be read',
    ],
    'unreadable but quoted': ['`<tool_call>`I call nothing</tool_call>', 'final_answer'],
    'read and then unreadable': [
      '<tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"}}</tool_call><tool_call>what</tool_call>',
      'hermes read_file {"file_path":"a.ts"} ; what {}',
    ],
    'a change and then unreadable': [
      '<tool_call>{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}</tool_call><tool_call>what</tool_call>',
      'hermes write_file {"file_path":"a.ts","content":"x"} ; what {}',
    ],
    'a change and then an empty mark': [
      '<tool_call>{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}</tool_call><tool_call>',
      'hermes write_file {"file_path":"a.ts","content":"x"}',
    ],
    'a change and then a quoted mark': [
      '<tool_call>{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}</tool_call> `<tool_call>`',
      'hermes write_file {"file_path":"a.ts","content":"x"}',
    ],
    'unreadable and then a change': [
      '<tool_call>what</tool_call><tool_call>{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}</tool_call>',
      'glm what {} ; write_file {"file_path":"a.ts","content":"x"}',
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
      'malformed: shell: the end of the value of "command" is not clear',
    ],
    'a change whose value is not closed': [
      '<tool_call>shell<arg_key>command</arg_key><arg_value>ls<arg_key>timeout_ms</arg_key><arg_value>3</arg_value></tool_call>',
      'glm shell {"command":"ls","timeout_ms":3} repaired',
    ],
    'a key not closed': [
      '<tool_call>read_file<arg_key>file_path</tool_call>',
      'malformed: the value of "" is cut off',
    ],
    'a value cut off': [
      '<tool_call>read_file<arg_key>file_path</arg_key><arg_value>a.ts',
      'malformed: the value of "file_path" is cut off',
    ],
    'a value without marks cut off': [
      '<tool_call>read_file<arg_key>file_path</arg_key>a.ts',
      'malformed: the value of "file_path" is cut off',
    ],
    'a name and nothing, cut off': ['<tool_call>list_directory', 'malformed: the tool call is cut off'],
    'a separator': ['<tool_call>list_directory<tool_sep></tool_call>', 'hunyuan list_directory {}'],
    'a separator, cut off': ['<tool_call>list_directory<tool_sep>', 'hunyuan list_directory {}'],
    'a separator and pairs': [
      '<tool_call>read_file<tool_sep>\n<arg_key>file_path</arg_key>\n<arg_value>a.ts</arg_value>\n</tool_call>',
      'hunyuan read_file {"file_path":"a.ts"}',
    ],
    'a separator and JSON': [
      '<tool_call>read_file<tool_sep>{"file_path": "a.ts"}</tool_call>',
      'glm read_file {"file_path":"a.ts"}',
    ],
    'a prefix of the name': [
      '<tool_call>functions.read_file<arg_key>file_path</arg_key><arg_value>a.ts</arg_value></tool_call>',
      'glm read_file {"file_path":"a.ts"}',
    ],
    'a key twice': [
      '<tool_call>shell<arg_key>command</arg_key><arg_value>a</arg_value><arg_key>command</arg_key><arg_value>b</arg_value></tool_call>',
      'malformed: shell: a value is given twice',
    ],
    'JSON cut off': [
      '<tool_call>read_file{"file_path": "a',
      'malformed: read_file: the tool call is cut off in the middle of a value',
    ],
    'a closing tag behind it': [
      '<tool_call>write_file<arg_key>file_path</arg_key><arg_value>a</arg_value><arg_key>content</arg_key><arg_value>x</arg_value></tool_call></arg_value>',
      'malformed: write_file: a closing mark stands inside of a value, so that its end is not clear',
    ],
    'a number in lines': [
      '<tool_call>read_file<arg_key>limit</arg_key><arg_value>\n5\n</arg_value></tool_call>',
      'glm read_file {"limit":5}',
    ],
    'a word in lines': [
      '<tool_call>web<arg_key>a</arg_key><arg_value>\nx\n</arg_value></tool_call>',
      'glm web {"a":"x"}',
    ],
    'a word with one line break': [
      '<tool_call>web<arg_key>a</arg_key><arg_value>\nx</arg_value><arg_key>b</arg_key><arg_value>x\n</arg_value></tool_call>',
      'glm web {"a":"\\nx","b":"x\\n"}',
    ],
    'a path in lines': [
      '<tool_call>write_file<arg_key>file_path</arg_key><arg_value>\na\n</arg_value><arg_key>content</arg_key><arg_value>\nx\n</arg_value></tool_call>',
      'glm write_file {"file_path":"a","content":"\\nx\\n"}',
    ],
  },
  longcat: {
    pairs: [
      '<longcat_tool_call>read_file\n<longcat_arg_key>file_path</longcat_arg_key>\n<longcat_arg_value>a.ts</longcat_arg_value>\n</longcat_tool_call>',
      'longcat read_file {"file_path":"a.ts"}',
    ],
    'a name alone': ['<longcat_tool_call>list_directory</longcat_tool_call>', 'longcat list_directory {}'],
    'JSON, its brackets forgotten': [
      '<longcat_tool_call>{"name": "read_file", "arguments": {"file_path": "a.ts"</longcat_tool_call>',
      'longcat read_file {"file_path":"a.ts"} repaired',
    ],
  },
  'minimax m3': {
    one: [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="read_file">]<]minimax[>[<file_path>a.ts]<]minimax[>[</file_path>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'minimax-m3 read_file {"file_path":"a.ts"}',
    ],
    'single quotes, spaces': [
      "]<]minimax[>[<tool_call>]<]minimax[>[<invoke  name = 'read_file'>]<]minimax[>[<file_path>a.ts]<]minimax[>[</file_path>]<]minimax[>[</invoke >]<]minimax[>[</tool_call>",
      'minimax-m3 read_file {"file_path":"a.ts"}',
    ],
    'items and objects': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="web">]<]minimax[>[<a>]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[<item>2]<]minimax[>[</item>]<]minimax[>[</a>]<]minimax[>[<b>]<]minimax[>[<c>x]<]minimax[>[</c>]<]minimax[>[<d>y]<]minimax[>[</d>]<]minimax[>[</b>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'minimax-m3 web {"a":["1","2"],"b":{"c":"x","d":"y"}}',
    ],
    'text beside elements': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="web">]<]minimax[>[<a> x ]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[</a>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'malformed: web: the end of the value of "a" is not clear',
    ],
    'text beside elements of a change': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="write_file">]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[<content>x]<]minimax[>[<b>1]<]minimax[>[</b>]<]minimax[>[</content>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'malformed: write_file: the end of the value of "content" is not clear',
    ],
    'a closing tag of another': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="write_file">]<]minimax[>[<file_path>a]<]minimax[>[</content>]<]minimax[>[<content>x]<]minimax[>[</file_path>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'malformed: write_file: the end of the value of "file_path" is not clear',
    ],
    'a closing tag of another, harmless': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="read_file">]<]minimax[>[<file_path>a]<]minimax[>[</limit>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'minimax-m3 read_file {"file_path":"a"} repaired',
    ],
    'no name': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke>]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'malformed: the tool call cannot be read',
    ],
    'not closed': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="read_file">]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[</invoke>',
      'minimax-m3 read_file {"file_path":"a"}',
    ],
    'cut off': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="read_file">]<]minimax[>[<file_path>a',
      'malformed: the value of "file_path" is cut off',
    ],
    'the second cut off': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="read_file">]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[</invoke>]<]minimax[>[<invoke name="shell">]<]minimax[>[<command>l',
      'minimax-m3 read_file {"file_path":"a"} … the value of "command" is cut off',
    ],
    'closed too early': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="write_file">]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[<content>x]<]minimax[>[</tool_call>',
      'malformed: write_file: the end of the value of "content" is not clear',
    ],
    nothing: [']<]minimax[>[<tool_call>]<]minimax[>[</tool_call>', 'malformed: the tool call cannot be read'],
    'a closing tag too many': [
      ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="read_file">]<]minimax[>[<file_path>a]<]minimax[>[</file_path>]<]minimax[>[</invoke>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
      'minimax-m3 read_file {"file_path":"a"} repaired',
    ],
  },
  element: {
    attributes: ['<read_file file_path="a.ts"/>', 'named-element read_file {"file_path":"a.ts"}'],
    'attributes in single quotes, spaces': [
      "<read_file  file_path = 'a.ts'  limit='3' />",
      'named-element read_file {"file_path":"a.ts","limit":3} repaired',
    ],
    'attributes and an element': [
      '<read_file file_path="a.ts"><limit>3</limit></read_file>',
      'named-element read_file {"file_path":"a.ts","limit":3}',
    ],
    'attributes and blanks': [
      '<write_file file_path="a.ts"> </write_file>',
      'named-element write_file {"file_path":"a.ts"}',
    ],
    'two texts are wanted': ['<write_file>x</write_file>', 'final_answer'],
    'no tool': ['<look_file><path>a</path></look_file>', 'final_answer'],
    'no argument of the tool': ['<read_file><colour>red</colour></read_file>', 'final_answer'],
    'another argument too': [
      '<read_file><file_path>a.ts</file_path><colour>red</colour></read_file>',
      'named-element read_file {"file_path":"a.ts","colour":"red"}',
    ],
    'another argument too, a change': [
      '<write_file><file_path>a.ts</file_path><content>x</content><colour>red</colour></write_file>',
      'named-element write_file {"file_path":"a.ts","content":"x","colour":"red"}',
    ],
    'JSON inside': [
      '<read_file>{"file_path": "a.ts"}</read_file>',
      'named-element read_file {"file_path":"a.ts"}',
    ],
    'JSON and more inside': ['<read_file>{"file_path": "a.ts"} or so</read_file>', 'final_answer'],
    'elements and more inside': [
      '<read_file><file_path>a.ts</file_path> or so</read_file>',
      'malformed: the call of read_file cannot be read',
    ],
    'not closed': ['<read_file><file_path>a.ts</file_path>', 'malformed: the call of read_file is cut off'],
    'not closed, a change before': [
      '{"name": "write_file", "arguments": {"file_path": "a.ts", "content": "x"}}\n<write_file><path>a',
      'json write_file {"file_path":"a.ts","content":"x"} … the call of write_file is cut off',
    ],
    'in backticks': ['`<read_file><file_path>a.ts</file_path></read_file>`', 'final_answer'],
    'the opening tag in backticks': ['`<read_file>`<file_path>a.ts</file_path></read_file>', 'final_answer'],
    'a short name': ['<ls><path>a</path></ls>', 'final_answer'],
    'four letters': ['<glob><pattern>*.ts</pattern></glob>', 'named-element glob {"pattern":"*.ts"}'],
    'a word of the prose': ['<search><pattern>x</pattern></search>', 'final_answer'],
    'nothing behind the name': ['<read_file', 'final_answer'],
    'a value not closed': [
      '<write_file><file_path>a.ts<content>x</content></write_file>',
      'malformed: write_file: the end of the value of "file_path" is not clear',
    ],
    'a value twice': [
      '<write_file><file_path>a.ts</file_path><content>x</content><content>y</content></write_file>',
      'malformed: write_file: a value is given twice',
    ],
    CRLF: [
      '<write_file>\r\n<path>a.ts</path>\r\n<content>\r\nx\r\ny\r\n</content>\r\n</write_file>',
      'named-element write_file {"path":"a.ts","content":"x\\r\\ny"}',
    ],
    'a closing tag in the value': [
      '<write_file><path>a</path><content>a </content> c</content></write_file>',
      'named-element write_file {"path":"a","content":"a </content> c"}',
    ],
    'a colon behind the name': ['<read_file:a><file_path>a</file_path></read_file>', 'final_answer'],
    'a list in JSON inside': [
      '<read_file>{"file_path": "a"</read_file>',
      'named-element read_file {"file_path":"a"} repaired',
    ],
    'a closing tag of another name': [
      '<read_file><file_path>a</file_path></read_files>',
      'malformed: the call of read_file is cut off',
    ],
    'not closed, then closed far away': [
      '<read_file> is the tool. {"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} | <read_file> is the tool.',
    ],
  },
  'tool use': {
    spaces: [
      '<tool_use>\n <name> read_file </name> \n <arguments> {"file_path": "a.ts"} </arguments> \n </tool_use>',
      'tool-use read_file {"file_path":"a.ts"}',
    ],
    'no name': ['<tool_use><name></name><arguments>{}</arguments></tool_use>', 'final_answer'],
    'a name not closed': ['<tool_use><name>read_file<arguments>{}</arguments></tool_use>', 'final_answer'],
    'JSON and more': [
      '<tool_use><name>read_file</name><arguments>{"file_path": "a.ts"} x</arguments></tool_use>',
      'malformed: the arguments of read_file cannot be read',
    ],
    'elements and more': [
      '<tool_use><name>read_file</name><input><file_path>a.ts</file_path> x</input></tool_use>',
      'malformed: the arguments of read_file cannot be read',
    ],
    'elements beside it and more': [
      '<tool_use><name>read_file</name><file_path>a.ts</file_path> x</tool_use>',
      'malformed: the arguments of read_file cannot be read',
    ],
    'the inner tag not closed': [
      '<tool_use><name>read_file</name><arguments>{"file_path": "a.ts"}</tool_use>',
      'malformed: the arguments of read_file cannot be read',
    ],
    'brackets forgotten': [
      '<tool_use><name>read_file</name><arguments>{"file_path": "a.ts"</arguments></tool_use>',
      'tool-use read_file {"file_path":"a.ts"} repaired',
    ],
    'a closing tag behind it': [
      '<tool_use><name>shell</name><arguments>{"command": "ls"}</arguments></tool_use> x </arguments>',
      'tool-use shell {"command":"ls"}',
    ],
    'JSON cut off': [
      '<tool_use><name>read_file</name><arguments>{"file_path": "a',
      'malformed: read_file: the tool call is cut off in the middle of a value',
    ],
    'elements cut off': [
      '<tool_use><name>shell</name><input><command>ls',
      'malformed: the value of "command" is cut off',
    ],
    nothing: ['<tool_use><name>list_directory</name></tool_use>', 'tool-use list_directory {}'],
  },
  xml: {
    'quotes and spaces around names': [
      '<tool_call>\n<function="read_file">\n<parameter = "file_path" >\na.ts\n</parameter>\n</function>\n</tool_call>',
      'malformed: the tool call cannot be read',
    ],
    'names as attributes': [
      '<tool_call>\n<function name = "read_file">\n<parameter name=\'file_path\'>a.ts</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a.ts"}',
    ],
    'the short tag': [
      '<tool_call>\n<function=read_file>\n<param=file_path>\na.ts\n</param>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a.ts"}',
    ],
    'JSON inside': [
      '<tool_call>\n<function=read_file>\n{"file_path": "a.ts"}\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a.ts"}',
    ],
    'JSON inside, cut off': [
      '<tool_call>\n<function=read_file>{"file_path": "a',
      'malformed: read_file: the tool call is cut off in the middle of a value',
    ],
    'no parameters and not closed': [
      '<tool_call>\n<function=list_directory>',
      'malformed: list_directory: the tool call is cut off before its arguments',
    ],
    'no parameters, closed by the outer mark': [
      '<tool_call>\n<function=list_directory>\n</tool_call>',
      'qwen3-coder list_directory {}',
    ],
    'words behind the name': ['<tool_call>\n<function=list_directory> is what I would call', 'final_answer'],
    'marks in place of a name': [
      '<tool_call>\n<function=`list_directory`>\n</function>\n</tool_call>',
      'malformed: the tool call cannot be read',
    ],
    'a prefix of the name': [
      '<tool_call>\n<function=functions.read_file>\n<parameter=file_path>\na.ts\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a.ts"}',
    ],
    'a value not closed': [
      '<tool_call>\n<function=shell>\n<parameter=command>\nls\n</function>\n</tool_call>',
      'qwen3-coder shell {"command":"ls"} repaired',
    ],
    'a value not closed before the next': [
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\na.ts\n<parameter=content>\nx\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder write_file {"file_path":"a.ts","content":"x"} repaired',
    ],
    'a value twice': [
      '<tool_call>\n<function=shell>\n<parameter=command>\na\n</parameter>\n<parameter=command>\nb\n</parameter>\n</function>\n</tool_call>',
      'malformed: shell: a value is given twice',
    ],
    'a value twice, harmless': [
      '<tool_call>\n<function=read_file>\n<parameter=file_path>\na\n</parameter>\n<parameter=file_path>\nb\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"b"} repaired',
    ],
    'cut off in a value': [
      '<tool_call>\n<function=read_file>\n<parameter=file_path>\na.t',
      'malformed: the value of "file_path" is cut off',
    ],
    'a tag without an end': [
      '<tool_call>\n<function=read_file>\n<parameter=file_path',
      'malformed: read_file: the tool call is cut off before its arguments',
    ],
    'a value not closed that shows the format': [
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\na.md\n</parameter>\n<parameter=content>\nWrite\n<parameter=key>\nand a value\n</function>\n</tool_call>',
      'malformed: write_file: the end of the value of "content" is not clear',
    ],
    'two in one block': [
      '<tool_call>\n<function=read_file>\n<parameter=file_path>\na\n</parameter>\n</function>\n<function=read_file>\n<parameter=file_path>\nb\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a"} ; read_file {"file_path":"b"}',
    ],
    'closed again behind it': [
      '<tool_call>\n<function=shell>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>\n</parameter>',
      'malformed: shell: a closing mark stands inside of a value, so that its end is not clear',
    ],
    'Windows line ends': [
      '<tool_call>\n<function=write_file>\r\n<parameter=file_path>\r\na\r\n</parameter>\r\n<parameter=content>\r\nx\r\ny\r\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder write_file {"file_path":"a","content":"x\\r\\ny"}',
    ],
    'an empty value': [
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\na\n</parameter>\n<parameter=content>\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder write_file {"file_path":"a","content":""}',
    ],
    'a line break only before the value': [
      '<tool_call>\n<function=grep>\n<parameter=pattern>\nx</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"pattern":"x"}',
    ],
    'a line break only behind the value': [
      '<tool_call>\n<function=grep>\n<parameter=pattern>x\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"pattern":"x"}',
    ],
    'only a line break': [
      '<tool_call>\n<function=grep>\n<parameter=pattern>\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"pattern":""}',
    ],
    'two line breaks': [
      '<tool_call>\n<function=grep>\n<parameter=pattern>\n\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"pattern":""}',
    ],
    'a Windows line break only behind the value': [
      '<tool_call>\n<function=grep>\n<parameter=pattern>x\r\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"pattern":"x"}',
    ],
    'only a Windows line break': [
      '<tool_call>\n<function=grep>\n<parameter=pattern>\r\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder grep {"pattern":""}',
    ],
    'an attribute without quotes': [
      '<tool_call>\n<function name=read_file>\n<parameter name=file_path>a</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a"}',
    ],
    'quotes around a name': [
      '<tool_call>\n<function="read_file">\n<parameter="file_path">\na\n</parameter>\n</function>\n</tool_call>',
      'qwen3-coder read_file {"file_path":"a"}',
    ],
    'more parameters than there may be': [
      '<tool_call>\n<function=web>\n<parameter=p0>\n0\n</parameter>\n<parameter=p1>\n1\n</parameter>\n<parameter=p2>\n2\n</parameter>\n\n</function>\n</tool_call>',
      'qwen3-coder web {"p0":"0","p1":"1","p2":"2"}',
    ],
  },
  dsml: {
    'types of values': [
      '<｜DSML｜function_calls><｜DSML｜invoke name="grep"><｜DSML｜parameter name="pattern" string="true">5</｜DSML｜parameter><｜DSML｜parameter name="max_results" string="false">5</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
      'deepseek-dsml grep {"pattern":"5","max_results":5}',
    ],
    'nothing around it': [
      '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="file_path" string="true">a</｜DSML｜parameter></｜DSML｜invoke>',
      'deepseek-dsml read_file {"file_path":"a"}',
    ],
    'a value that is no JSON': [
      '<｜DSML｜function_calls><｜DSML｜invoke name="web"><｜DSML｜parameter name="a" string="false">x y</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
      'deepseek-dsml web {"a":"x y"}',
    ],
  },
  'minimax m2': {
    'nothing around it': [
      '<invoke name="read_file"><parameter name="file_path">a</parameter></invoke>',
      'minimax-m2 read_file {"file_path":"a"}',
    ],
    'line breaks of a text': [
      '<invoke name="write_file"><parameter name="file_path">\na\n</parameter><parameter name="content">\nx\n</parameter></invoke>',
      'minimax-m2 write_file {"file_path":"a","content":"\\nx\\n"}',
    ],
  },
  mistral: {
    'ids and a second mark': [
      '[TOOL_CALLS]read_file[CALL_ID]abc123[ARGS]{"file_path": "a"}[TOOL_CALLS]read_file[CALL_ID]def[ARGS]{"file_path": "b"}',
      'mistral read_file {"file_path":"a"} #abc123 ; read_file {"file_path":"b"} #def',
    ],
    spaces: ['[TOOL_CALLS] read_file [ARGS] {"file_path": "a"}</s>', 'mistral read_file {"file_path":"a"}'],
    'no mark of arguments': [
      '[TOOL_CALLS]read_file{"file_path": "a"}',
      'mistral read_file {"file_path":"a"}',
    ],
    'a name alone': ['[TOOL_CALLS]read_file', 'malformed: the tool call is cut off'],
    'a word': ['[TOOL_CALLS] is the mark', 'final_answer'],
    'cut off': [
      '[TOOL_CALLS]read_file[ARGS]{"file_path": "a',
      'malformed: read_file: the tool call is cut off in the middle of a value',
    ],
    'the second cut off': [
      '[TOOL_CALLS]read_file[ARGS]{"file_path": "a"}[TOOL_CALLS]shell[ARGS]{"command": "l',
      'mistral read_file {"file_path":"a"} … shell: the tool call is cut off in the middle of a value',
    ],
    'brackets forgotten': [
      '[TOOL_CALLS]read_file[ARGS]{"file_path": "a"</s>',
      'mistral read_file {"file_path":"a"} repaired',
    ],
  },
  deepseek: {
    spaces: [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜> function <｜tool▁sep｜> read_file \n```json\n{"file_path": "a"}\n```\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'deepseek-v3 read_file {"file_path":"a"}',
    ],
    'the name before': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"file_path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'deepseek-v3.1 read_file {"file_path":"a"}',
    ],
    'no separator': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file {"file_path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'malformed: the tool call cannot be read',
    ],
    'no name': [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜><｜tool▁sep｜>{"file_path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
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
      'malformed: shell: a text in it holds quotes that are not escaped, or a comma is missing',
    ],
  },
  kimi: {
    'no number': [
      '<|tool_call_begin|>read_file<|tool_call_argument_begin|>{"file_path": "a"}<|tool_call_end|>',
      'kimi-k2 read_file {"file_path":"a"}',
    ],
    'a number': [
      ' <|tool_call_begin|> functions.read_file:12 <|tool_call_argument_begin|> {"file_path": "a"} <|tool_call_end|>',
      'kimi-k2 read_file {"file_path":"a"} #functions.read_file:12',
    ],
    'a colon in the name': [
      '<|tool_call_begin|>a:1b<|tool_call_argument_begin|>{}<|tool_call_end|>',
      'kimi-k2 a:1b {}',
    ],
    'no name': [
      '<|tool_call_begin|><|tool_call_argument_begin|>{}<|tool_call_end|>',
      'malformed: the tool call cannot be read',
    ],
    'no mark': ['<|tool_call_begin|>read_file{}<|tool_call_end|>', 'malformed: the tool call cannot be read'],
    'text as arguments': [
      '<|tool_call_begin|>shell<|tool_call_argument_begin|> ls <|tool_call_end|>',
      'kimi-k2 shell "ls"',
    ],
    'no arguments': [
      '<|tool_call_begin|>list_directory<|tool_call_argument_begin|> <|tool_call_end|>',
      'kimi-k2 list_directory {}',
    ],
    'no arguments, cut off': [
      '<|tool_call_begin|>list_directory<|tool_call_argument_begin|>',
      'malformed: list_directory: the tool call is cut off before its arguments',
    ],
    'text as arguments, cut off': [
      '<|tool_call_begin|>grep<|tool_call_argument_begin|>a b',
      'kimi-k2 grep "a b"',
    ],
    'a list as arguments': [
      '<|tool_call_begin|>read_file<|tool_call_argument_begin|>["a"]<|tool_call_end|>',
      'kimi-k2 read_file {"file_path":"a"} repaired',
    ],
    'an open object before the next': [
      '<|tool_call_begin|>grep<|tool_call_argument_begin|>{"pattern": "a"<|tool_call_begin|>grep<|tool_call_argument_begin|>{"pattern": "b"}<|tool_call_end|>',
      'kimi-k2 grep {"pattern":"a"} repaired ; grep {"pattern":"b"}',
    ],
    'cut off in an object': [
      '<|tool_call_begin|>grep<|tool_call_argument_begin|>{"pattern": "a", "path"',
      'malformed: grep: a colon is missing after "path"',
    ],
    'broken beyond mending': [
      '<|tool_call_begin|>grep<|tool_call_argument_begin|>{{{:::}<|tool_call_end|>',
      'malformed: grep: a key is missing, or a text holds quotes that are not escaped',
    ],
  },
  harmony: {
    constrained: [
      '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"file_path": "a"}<|call|>',
      'harmony read_file {"file_path":"a"}',
    ],
    'brackets forgotten': [
      '<|channel|>commentary to=read_file<|message|>{"file_path": "a"<|call|>',
      'harmony read_file {"file_path":"a"} repaired',
    ],
  },
  functionary: {
    'marked lines': [
      '>>>read_file\n{"file_path": "a"}\n>>>read_file\n{"file_path": "b"}',
      'functionary read_file {"file_path":"a"} ; read_file {"file_path":"b"}',
    ],
    'a line that is no tool': ['look_here\n{"file_path": "a"}', 'final_answer'],
    'a marked line that is no tool': [
      '>>>look_here\n{"file_path": "a"}',
      'functionary look_here {"file_path":"a"}',
    ],
    'a space before the name': [
      '  read_file \n\n {"file_path": "a"}',
      'functionary read_file {"file_path":"a"}',
    ],
    'words on the line': ['call read_file\n{"file_path": "a"}', 'final_answer'],
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
    spaces: [
      'Thought: so.\n  Action:  read_file  \n  Action Input:  {"file_path": "a"}\nObservation: x',
      'react read_file {"file_path":"a"} | Thought: so.',
    ],
    'a fence': [
      'Action: read_file\nAction Input: ```json\n{"file_path": "a"}\n```',
      'react read_file {"file_path":"a"}',
    ],
    'no tool': ['Action: look\nAction Input: {"file_path": "a"}', 'final_answer'],
    'in a sentence': ['The Action: read_file\nAction Input: {"file_path": "a"}', 'final_answer'],
    'cut off': [
      'Action: read_file\nAction Input: {"file_path": "a',
      'malformed: read_file: the tool call is cut off in the middle of a value',
    ],
    two: [
      'Action: read_file\nAction Input: {"file_path": "a"}\nAction: read_file\nAction Input: {"file_path": "b"}',
      'react read_file {"file_path":"a"} ; read_file {"file_path":"b"}',
    ],
    'at once': ['Action: read_file\nAction Input:{"file_path": "a"}', 'react read_file {"file_path":"a"}'],
  },
};
