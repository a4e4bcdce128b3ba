/** Calls whose arguments are written in other ways than in plain JSON; each with how it is read, or why it is not. */
import type { Readings } from './reading.ts';

export const writtenValues: Record<string, Readings> = {
  Python: {
    literals: [
      "[web(a=True, b=false, c=None, d=null, e=-1.5e3, f=0x1F, g=1_000, h=(1, 2), i={'k': 1, 2: [3]}, j={1, 2}, k={})]",
      'pythonic web {"a":true,"b":false,"c":null,"d":null,"e":-1500,"f":31,"g":1000,"h":[1,2],"i":{"2":[3],"k":1},"j":[1,2],"k":{}}',
    ],
    strings: [
      "[web(a='it', b=\"x\" 'y', c=r'\\n', d=b'z', e='''l1\nl2''', f=u\"é\", g=Rb'q\\t')]",
      'pythonic web {"a":"it","b":"xy","c":"\\\\n","d":"z","e":"l1\\nl2","f":"é","g":"q\\\\t"}',
    ],
    escapes: [
      "[web(a='\\n\\t\\r\\b\\f\\v\\a\\\\\\'\\\"\\/', b='\\x41\\u00e9\\U0001F600\\101\\0', c='\\q', d='\\\n', e='\\U00110000')]",
      'pythonic web {"a":"\\n\\t\\r\\b\\f\\u000b\\u0007\\\\\'\\"/","b":"Aé😀A\\u0000","c":"\\\\q","d":"","e":"\\\\U00110000"}',
    ],
    'a set beside pairs': ["[web(a={1, 'b': 2})]", 'final_answer'],
    'a number that is none': ['[web(a=12z)]', 'final_answer'],
    'a number too large': ['[web(a=1e999)]', 'final_answer'],
    'a string not closed': ["[web(a='x)]", 'final_answer'],
    'spaces and commas': ['[ web ( a = 1 , ) , web( b = 2 , ), ]', 'pythonic web {"a":1} ; web {"b":2}'],
    'no spaces before brackets': [
      '[ web( a = 1 , ) , web( b = 2 , ) , ]',
      'pythonic web {"a":1} ; web {"b":2}',
    ],
    'missing commas': ['[web(a=1 b=2)]', 'final_answer'],
    'missing commas between calls': ['[web(a=1) web(b=2)]', 'final_answer'],
    'cut off behind a call': ["[read_file(file_path='a')", 'pythonic read_file {"file_path":"a"}'],
    'cut off behind a comma': ["[read_file(file_path='a'),", 'pythonic read_file {"file_path":"a"}'],
    'cut off in a call': [
      "[read_file(file_path='a'",
      'malformed: read_file: a comma or the closing bracket is missing',
    ],
    'an empty list of calls': ['[]', 'final_answer'],
    'a link': ['See [read_file(x=1)](a.md)', 'final_answer'],
    'a prefix and .call': [
      "[functions.read_file.call(file_path='a')]",
      'pythonic read_file {"file_path":"a"}',
    ],
    printed: ["print(default_api.read_file(file_path='a'))", 'pythonic read_file {"file_path":"a"}'],
    'printed, not closed': ["print(read_file(file_path='a')", 'final_answer'],
    'printed nothing': ['print()', 'pythonic print {}'],
    lines: [
      "read_file(file_path='a')\nread_file(file_path='b');\nread_file(file_path='c')",
      'pythonic read_file {"file_path":"a"} ; read_file {"file_path":"b"} ; read_file {"file_path":"c"}',
    ],
    'lines and a word': ["read_file(file_path='a')\nso it is", 'pythonic read_file {"file_path":"a"}'],
    'a fence': ["```python\nread_file(file_path='a')\n```", 'pythonic read_file {"file_path":"a"}'],
    'a fence after prose': [
      "I look.\n```py\nread_file(file_path='a')\nread_file(file_path='b')\n```\nThen I go on.",
      'pythonic read_file {"file_path":"a"} ; read_file {"file_path":"b"} | I look.',
    ],
    'two fences after prose': [
      "First\n```python\nread_file(file_path='a')\n```\nand\n```python\nread_file(file_path='b')\n```",
      'pythonic read_file {"file_path":"a"} ; read_file {"file_path":"b"} | First',
    ],
    'a fence with other code': ["I look.\n```python\nx = 1\nread_file(file_path='a')\n```", 'final_answer'],
    'a fence with code behind it': [
      "I look.\n```python\nread_file(file_path='a')\nx = 1\n```",
      'final_answer',
    ],
    'a fence with a function of no tool': ["I look.\n```python\nopen_door(a='a')\n```", 'final_answer'],
    'a fence with a plain name': [
      "I look.\n```python\nshell(command='ls')\n```",
      'pythonic shell {"command":"ls"} | I look.',
    ],
    'a fence that prints': [
      "I look.\n```python\nprint(read_file(file_path='a'))\n```",
      'pythonic read_file {"file_path":"a"} | I look.',
    ],
    'a fence not closed': [
      "I look.\n```python\nread_file(file_path='a')\n",
      'pythonic read_file {"file_path":"a"} | I look.',
    ],
    'tool_code not closed': ["```tool_code\nread_file(file_path='a')", 'gemma3 read_file {"file_path":"a"}'],
    'tool_code, closed': [
      "  ```tool_code\nread_file(file_path='a')\n```\nDone.",
      'gemma3 read_file {"file_path":"a"}',
    ],
    'tool_code with words': [
      "```tool_code\nread_file(file_path='a') or so\n```",
      'gemma3 read_file {"file_path":"a"}',
    ],
    'tool_code cut off': [
      "```tool_code\nread_file(file_path='a",
      'malformed: read_file: it is cut off in the middle of a text',
    ],
    'the whole answer cut off': [
      "write_file(file_path='a', content='x",
      'malformed: write_file: it is cut off in the middle of a text',
    ],
    'the whole answer is a sentence': ['read_file(path) is what it does.', 'final_answer'],
    'the whole answer has a string': [
      "read_file('a.ts' is what it does.",
      'malformed: read_file: a comma or the closing bracket is missing',
    ],
    'no tool': ["open_door(a='a')", 'pythonic open_door {"a":"a"}'],
    'one is no tool': [
      "read_file(file_path='a')\nopen_door(a='a')",
      'pythonic read_file {"file_path":"a"} ; open_door {"a":"a"}',
    ],
    positional: ["read_file('a.ts', 3)", 'pythonic read_file {"file_path":"a.ts","offset":3}'],
    'an object as the value': [
      "[read_file({'file_path': 'a.ts'})]",
      'pythonic read_file {"file_path":"a.ts"}',
    ],
    'an object of other names as the value': [
      "[read_file({'colour': 'a.ts'})]",
      'pythonic read_file {"file_path":{"colour":"a.ts"}}',
    ],
    'a value and a name': [
      "[read_file('a.ts', limit=3)]",
      'pythonic read_file {"file_path":"a.ts","limit":3}',
    ],
    quoted: ["The call `[read_file(file_path='a')]` is one.", 'final_answer'],
    'in a sentence': [
      "The call [read_file(file_path='a')] is one.",
      'pythonic read_file {"file_path":"a"} | The call',
    ],
    'at the end': ["I look: [read_file(file_path='a')]", 'pythonic read_file {"file_path":"a"} | I look:'],
    'broken, before a change': [
      '[shell(command=foo)] {"name": "write_file", "arguments": {"file_path": "a", "content": "x"}}',
      'json write_file {"file_path":"a","content":"x"} | [shell(command=foo)]',
    ],
    exponents: [
      '[web(a=1e5, b=1E-5, c=+1, d=.5, e=0b11, f=0o17)]',
      'pythonic web {"a":100000,"b":0.00001,"c":1,"d":0.5,"e":3,"f":15}',
    ],
    'the last character': ["[web(a='\\U0010ffff')]", 'pythonic web {"a":"􏿿"}'],
    'words in small letters': ['[web(a=true, b=null)]', 'pythonic web {"a":true,"b":null}'],
    'lists nested 60 deep': [
      '[web(a=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]])]',
      'pythonic web {"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}',
    ],
    'tuples nested 70 deep': [
      '[web(a=(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((()))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))]',
      'pythonic web {"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}',
    ],
    'a string that ends the text': [
      "read_file(file_path='a'",
      'malformed: read_file: a comma or the closing bracket is missing',
    ],
    'commas between lines': [
      "read_file(file_path='a'),\nread_file(file_path='b')",
      'pythonic read_file {"file_path":"a"} ; read_file {"file_path":"b"}',
    ],
    'a fence without a language': [
      "```\nread_file(file_path='a')\n```",
      'pythonic read_file {"file_path":"a"}',
    ],
    'an indented answer': ["   read_file(file_path='a')", 'pythonic read_file {"file_path":"a"}'],
    'a question after it': ["read_file(file_path='a') ?", 'final_answer'],
    'two arguments and a break': [
      "read_file(\n    file_path='a',\n    limit=3,\n)",
      'pythonic read_file {"file_path":"a","limit":3}',
    ],
    'a list argument cut off': ['web_search(a=[1, 2', 'final_answer'],
    'a known tool with a number cut off': [
      'read_file(limit=3',
      'malformed: read_file: a comma or the closing bracket is missing',
    ],
    'quoted fence': ["For example:\n```python\nread_file(file_path='a')\n```", 'final_answer'],
    'JSON in a string of it': [
      'write_file(file_path=\'a\', content=\'{"name": "read_file", "arguments": {"file_path": "a"}}\')',
      'pythonic write_file {"file_path":"a","content":"{\\"name\\": \\"read_file\\", \\"arguments\\": {\\"file_path\\": \\"a\\"}}"}',
    ],
  },
  JSON: {
    'single quotes': [
      "{'name': 'read_file', 'arguments': {'file_path': 'a'}}",
      'json read_file {"file_path":"a"} repaired',
    ],
    'typographic quotes': [
      '{“name”: “read_file”, “arguments”: {“file_path”: “a”}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'bare keys': [
      '{name: "read_file", arguments: {file_path: "a"}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'a comment first': [
      '{// now\n"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'a Python comment first': [
      '{# now\n"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'a list around it': [
      '[{"name": "read_file", "arguments": {"file_path": "a"}}]',
      'json read_file {"file_path":"a"}',
    ],
    'a wrapper': [
      '{"tool_call": {"name": "read_file", "arguments": {"file_path": "a"}}}',
      'json read_file {"file_path":"a"}',
    ],
    'a wrapper with a list': [
      '{"actions": [{"name": "read_file", "arguments": {"file_path": "a"}}, {"x": 1}]}',
      'json read_file {"file_path":"a"}',
    ],
    'a wrapper of no tool': ['{"action": {"name": "look", "arguments": {"file_path": "a"}}}', 'final_answer'],
    'calls that are none': ['{"tool_calls": [{"x": 1}]}', 'final_answer'],
    'calls as one object': [
      '{"tool_calls": {"name": "read_file", "arguments": {"file_path": "a"}}}',
      'json read_file {"file_path":"a"}',
    ],
    'tool calls cut off': [
      '{"tool_calls": [{"name": "read_file", "arguments": {"file_path": "a',
      'malformed: the tool call is cut off in the middle of a value',
    ],
    'a name cut off': ['{"name": "read_f', 'final_answer'],
    'no tool, cut off': ['{"name": "look", "arguments": {"a": "b', 'final_answer'],
    'a tool, cut off': [
      '{"name": "read_file", "arguments": {"file_path": "a',
      'malformed: the tool call is cut off in the middle of a value',
    ],
    'a function, cut off': [
      "{'function': 'shell', 'arguments': {'command': 'l",
      'malformed: the tool call is cut off in the middle of a value',
    ],
    'a tool as the key, cut off': [
      '{"read_file": {"file_path": "a',
      'malformed: the tool call is cut off in the middle of a value',
    ],
    'a tool as the key of a text': ['{"read_file": "a"}', 'final_answer'],
    'no call': ['{"name": "Ann", "age": 3}', 'final_answer'],
    'data with a name in it': ['{"data": {"name": "read_file"}}', 'final_answer'],
    'arguments in the call itself': [
      '{"name": "read_file", "file_path": "a"}',
      'json read_file {"file_path":"a"}',
    ],
    'arguments of no tool in the call itself': ['{"name": "look", "file_path": "a"}', 'final_answer'],
    'other keys': [
      '{"tool": "read_file", "tool_input": {"file_path": "a"}}',
      'json read_file {"file_path":"a"}',
    ],
    'function as a record': [
      '{"type": "function", "function": {"name": "read_file", "arguments": "{\\"file_path\\": \\"a\\"}"}}',
      'json read_file {"file_path":"a"}',
    ],
    'an id': [
      '{"id": "c1", "name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} #c1',
    ],
    'null arguments': ['{"name": "list_directory", "arguments": null}', 'json list_directory {}'],
    'empty arguments': ['{"name": "list_directory", "arguments": ""}', 'json list_directory {}'],
    'arguments None': ['{"name": "list_directory", "arguments": " None "}', 'json list_directory {}'],
    'a text encoded twice': [
      '{"name": "read_file", "arguments": "\\"{\\\\\\"file_path\\\\\\": \\\\\\"a\\\\\\"}\\""}',
      'json read_file {"file_path":"a"}',
    ],
    'a list in text': [
      '{"name": "read_file", "arguments": "[\\"a\\", 3]"}',
      'json read_file {"file_path":"a","offset":3} repaired',
    ],
    'an empty list': ['{"name": "list_directory", "arguments": []}', 'json list_directory {}'],
    'a number': ['{"name": "read_file", "arguments": 5}', 'json read_file "5"'],
    'a text that is no JSON': ['{"name": "read_file", "arguments": "a.ts"}', 'json read_file "a.ts"'],
    'a text with more behind it': [
      '{"name": "read_file", "arguments": "{\\"file_path\\": \\"a\\"} x"}',
      'json read_file "{\\"file_path\\": \\"a\\"} x" repaired',
    ],
    'a text with more behind it, a change': [
      '{"name": "shell", "arguments": "{\\"command\\": \\"a\\"} x"}',
      'malformed: shell: there is text after the JSON',
    ],
    'a strange argument of a change': [
      "{'name': 'shell', 'arguments': {'command': 'a', 'colour_of_a_thing_that_is_much_longer_than_forty_characters': 'b'}}",
      'json shell {"command":"a","colour_of_a_thing_that_is_much_longer_than_forty_characters":"b"} repaired',
    ],
    'a strange argument of a change that is right JSON': [
      '{"name": "shell", "arguments": {"command": "a", "colour": "b"}}',
      'json shell {"command":"a","colour":"b"}',
    ],
    'a missing argument of a change': [
      "{'name': 'write_file', 'arguments': {'file_path': 'a'}}",
      'json write_file {"file_path":"a"} repaired',
    ],
    types: [
      '{"name": "read_file", "arguments": {"file_path": "a", "limit": "5", "offset": " 2 "}}',
      'json read_file {"file_path":"a","limit":5,"offset":2} repaired',
    ],
    'raw line breaks': [
      '{"name": "write_file", "arguments": {"file_path": "a", "content": "x\ny\tz"}}',
      'json write_file {"file_path":"a","content":"x\\ny\\tz"} repaired',
    ],
    'triple quotes': [
      '{"name": "write_file", "arguments": {"file_path": "a", "content": """x "y" z"""}}',
      'json write_file {"file_path":"a","content":"x \\"y\\" z"} repaired',
    ],
    'triple quotes, harmless': [
      '{"name": "grep", "arguments": {"pattern": """x "y" \\z"""}}',
      'json grep {"pattern":"x \\"y\\" \\\\z"} repaired',
    ],
    'triple quotes not closed': [
      '{"name": "grep", "arguments": {"pattern": """x',
      'malformed: the tool call is cut off in the middle of a value',
    ],
    backslashes: [
      '{"name": "grep", "arguments": {"pattern": "\\d+\\w"}}',
      'json grep {"pattern":"\\\\d+\\\\w"} repaired',
    ],
    'quotes not escaped, harmless': [
      '{"name": "grep", "arguments": {"pattern": "say "hi" now", "path": "src"}}',
      'json grep {"pattern":"say \\"hi\\" now","path":"src"} repaired',
    ],
    'quotes not escaped': [
      '{"name": "shell", "arguments": {"command": "echo "hi" now"}}',
      'malformed: shell: a text in it holds quotes that are not escaped, or a comma is missing',
    ],
    'a trailing comma': [
      '{"name": "shell", "arguments": {"command": "ls",},}',
      'json shell {"command":"ls"} repaired',
    ],
    'a missing comma': [
      '{"name": "read_file" "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'a missing brace in a fence': [
      '```json\n{"name": "read_file", "arguments": {"file_path": "a"}\n```',
      'json read_file {"file_path":"a"} repaired',
    ],
    'a missing brace in a fence and words': [
      '```json\n{"name": "read_file", "arguments": {"file_path": "a"}\n```\nThat is it.',
      'json read_file {"file_path":"a"} repaired',
    ],
    'the end of a text behind it': [
      '{"name": "shell", "arguments": {"command": "echo"}}\n" }',
      'malformed: shell: the end of a text stands behind the call',
    ],
    'another call behind it': [
      '{"name": "read_file", "arguments": {"file_path": "a"}} "} {"name": "read_file", "arguments": {"file_path": "b"}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'thinking before': [
      '<think>{"name": "shell", "arguments": {"command": "x"}}</think>{"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"}',
    ],
    'thinking that was not opened': [
      'I think.</think>\n{"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"}',
    ],
    'several editor edits': [
      '{"name": "replace_in_file", "arguments": {"path": "a", "diff": "no blocks"}}',
      'json replace_in_file {"path":"a","diff":"no blocks"}',
    ],
    'an editor block': [
      '{"name": "edit_file", "arguments": {"path": "a", "diff": "<<<<<<< SEARCH\\na\\n=======\\nb\\n>>>>>>> REPLACE"}}',
      'json edit_file {"path":"a","diff":"<<<<<<< SEARCH\\na\\n=======\\nb\\n>>>>>>> REPLACE"}',
    ],
    'a diff that is a record': [
      '{"name": "edit_file", "arguments": {"path": "a", "diff": {"x": 1}}}',
      'json edit_file {"path":"a","diff":{"x":1}}',
    ],
    'the tools prefix': [
      '{"name": "functions.read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"}',
    ],
    'the tools prefix of no tool': [
      '{"name": "functions.look", "arguments": {"file_path": "a"}}',
      'json look {"file_path":"a"}',
    ],
    'a capital key': ['{"Name": "read_file", "Arguments": {"file_path": "a"}}', 'final_answer'],
    'keys of other capitals': ['{Zone: "x", name: "read_file"}', 'final_answer'],
    'an underscore first': ['{_id: 1, "name": "read_file", "arguments": {"file_path": "a"}}', 'final_answer'],
    'arguments first, broken': [
      "{'arguments': {'file_path': 'a'}, 'name': 'read_file'}",
      'json read_file {"file_path":"a"} repaired',
    ],
    'no JSON at all': ['{name is a word}', 'final_answer'],
    'a tool as a short key': ['{"ls": {"path": "a"}}', 'final_answer'],
    'a tool as the key of a list': ['{"read_file": ["a"]}', 'final_answer'],
    'a tool as the key and a space': [
      '{ "read_file" : { "file_path" : "a" } }',
      'json read_file {"file_path":"a"}',
    ],
    'broken in a fence, then a call': [
      '```json\n{"name": "read_file", "arguments": {"file_path": "a"\n```',
      'json read_file {"file_path":"a"} repaired',
    ],
    'spaces around the colon': [
      "{'name'  :  'read_file' , 'arguments' : {'file_path' : 'a'}",
      'json read_file {"file_path":"a"} repaired',
    ],
    'an escaped quote in single quotes': [
      "{'name': 'grep', 'arguments': {'pattern': 'it\\'s'}}",
      'json grep {"pattern":"it\'s"} repaired',
    ],
    'a backslash before the end': [
      '{"name": "grep", "arguments": {"pattern": "a\\\\"}}',
      'json grep {"pattern":"a\\\\"}',
    ],
    'broken, with escapes': [
      "{'name': 'grep', 'arguments': {'pattern': 'a\\\\nb\\\"c'}",
      'json grep {"pattern":"a\\\\nb\\"c"} repaired',
    ],
    'braces in a text': [
      '{"name": "grep", "arguments": {"pattern": "}{]["}}',
      'json grep {"pattern":"}{]["}',
    ],
    'many braces': [
      '{"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} | {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1}',
    ],
    'an editor block without blocks, harmless': [
      '{"name": "replace_in_file", "arguments": {"path": "a", "old_str": "a", "new_str": "b", "diff": ""}}',
      'json replace_in_file {"path":"a","old_str":"a","new_str":"b","diff":""}',
    ],
  },
  names: {
    'AZaz09_-.': ['<|python_start|>[AZaz09_-.(a=1)]<|python_end|>', 'llama4 AZaz09_-. {"a":1}'],
    Àéÿ: ['<|python_start|>[Àéÿ(a=1)]<|python_end|>', 'llama4 Àéÿ {"a":1}'],
    語名: ['<|python_start|>[語名(a=1)]<|python_end|>', 'llama4 語名 {"a":1}'],
    豈: ['<|python_start|>[豈(a=1)]<|python_end|>', 'llama4 豈 {"a":1}'],
    '⺀': ['<|python_start|>[⺀(a=1)]<|python_end|>', 'llama4 ⺀ {"a":1}'],
    Ａ: ['<|python_start|>[Ａ(a=1)]<|python_end|>', 'malformed: a value is missing'],
    '⁰x': ['<|python_start|>[⁰x(a=1)]<|python_end|>', 'malformed: a value is missing'],
    '⸀x': ['<|python_start|>[⸀x(a=1)]<|python_end|>', 'malformed: a value is missing'],
    'a`b': ['<|python_start|>[a`b(a=1)]<|python_end|>', 'malformed: the value a has no quotes'],
    '128 long': [
      '<|python_start|>[nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn(a=1)]<|python_end|>',
      'llama4 nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn {"a":1}',
    ],
    '129 long': [
      '<|python_start|>[nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn(a=1)]<|python_end|>',
      'malformed: the value nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn has no quotes',
    ],
  },
};
