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
    'a number too large': ['[web(a=1e999)]', 'final_answer'],
    'spaces and commas': ['[ web ( a = 1 , ) , web( b = 2 , ), ]', 'pythonic web {"a":1} ; web {"b":2}'],
    'missing commas between calls': ['[web(a=1) web(b=2)]', 'final_answer'],
    'cut off behind a call': ["[read_file(file_path='a')", 'pythonic read_file {"file_path":"a"}'],
    'cut off in a call': [
      "[read_file(file_path='a'",
      'malformed: read_file: a comma or the closing bracket is missing',
    ],
    printed: ["print(default_api.read_file(file_path='a'))", 'pythonic read_file {"file_path":"a"}'],
    'printed, not closed': ["print(read_file(file_path='a')", 'final_answer'],
    'printed nothing': ['print()', 'pythonic print {}'],
    lines: [
      "read_file(file_path='a')\nread_file(file_path='b');\nread_file(file_path='c')",
      'pythonic read_file {"file_path":"a"} ; read_file {"file_path":"b"} ; read_file {"file_path":"c"}',
    ],
    'a fence': ["```python\nread_file(file_path='a')\n```", 'pythonic read_file {"file_path":"a"}'],
    'two fences after prose': [
      "First\n```python\nread_file(file_path='a')\n```\nand\n```python\nread_file(file_path='b')\n```",
      'pythonic read_file {"file_path":"a"} ; read_file {"file_path":"b"} | First',
    ],
    'a fence with other code': ["I look.\n```python\nx = 1\nread_file(file_path='a')\n```", 'final_answer'],
    'a fence with a function of no tool': ["I look.\n```python\nopen_door(a='a')\n```", 'final_answer'],
    'the whole answer cut off': [
      "write_file(file_path='a', content='x",
      'malformed: write_file: it is cut off in the middle of a string',
    ],
    'the whole answer has a string': [
      "read_file('a.ts' is what it does.",
      'malformed: read_file: a comma or the closing bracket is missing',
    ],
    'one is no tool': [
      "read_file(file_path='a')\nopen_door(a='a')",
      'pythonic read_file {"file_path":"a"} ; open_door {"a":"a"}',
    ],
    'an object of other names as the value': [
      "[read_file({'colour': 'a.ts'})]",
      'pythonic read_file {"file_path":{"colour":"a.ts"}}',
    ],
    'a value and a name': [
      "[read_file('a.ts', limit=3)]",
      'pythonic read_file {"file_path":"a.ts","limit":3}',
    ],
    'in a sentence': [
      "The call [read_file(file_path='a')] is one.",
      'pythonic read_file {"file_path":"a"} | The call',
    ],
    'broken, before a change': [
      '[shell(command=foo)] {"name": "write_file", "arguments": {"file_path": "a", "content": "x"}}',
      'json write_file {"file_path":"a","content":"x"} | [shell(command=foo)]',
    ],
    exponents: [
      '[web(a=1e5, b=1E-5, c=+1, d=.5, e=0b11, f=0o17)]',
      'pythonic web {"a":100000,"b":0.00001,"c":1,"d":0.5,"e":3,"f":15}',
    ],
    'the last character': ["[web(a='\\U0010ffff')]", 'pythonic web {"a":"􏿿"}'],
    'a question after it': ["read_file(file_path='a') ?", 'final_answer'],
  },
  JSON: {
    'a Python comment first': [
      '{# now\n"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'a wrapper with a list': [
      '{"actions": [{"name": "read_file", "arguments": {"file_path": "a"}}, {"x": 1}]}',
      'json read_file {"file_path":"a"}',
    ],
    'a wrapper of no tool': ['{"action": {"name": "look", "arguments": {"file_path": "a"}}}', 'final_answer'],
    'calls as one object': [
      '{"tool_calls": {"name": "read_file", "arguments": {"file_path": "a"}}}',
      'json read_file {"file_path":"a"}',
    ],
    'tool calls cut off': [
      '{"tool_calls": [{"name": "read_file", "arguments": {"file_path": "a',
      'malformed: the tool call is cut off in the middle of a value',
    ],
    'no tool, cut off': ['{"name": "look", "arguments": {"a": "b', 'final_answer'],
    'a function, cut off': [
      "{'function': 'shell', 'arguments': {'command': 'l",
      'malformed: the tool call is cut off in the middle of a value',
    ],
    'no call': ['{"name": "Ann", "age": 3}', 'final_answer'],
    'data with a name in it': ['{"data": {"name": "read_file"}}', 'final_answer'],
    'function as a record': [
      '{"type": "function", "function": {"name": "read_file", "arguments": "{\\"file_path\\": \\"a\\"}"}}',
      'json read_file {"file_path":"a"}',
    ],
    'arguments None': ['{"name": "list_directory", "arguments": " None "}', 'json list_directory {}'],
    'a text encoded twice': [
      '{"name": "read_file", "arguments": "\\"{\\\\\\"file_path\\\\\\": \\\\\\"a\\\\\\"}\\""}',
      'json read_file {"file_path":"a"}',
    ],
    'a text with more behind it, a change': [
      '{"name": "shell", "arguments": "{\\"command\\": \\"a\\"} x"}',
      'malformed: shell: there is text after the JSON',
    ],
    types: [
      '{"name": "read_file", "arguments": {"file_path": "a", "limit": "5", "offset": " 2 "}}',
      'json read_file {"file_path":"a","limit":5,"offset":2} repaired',
    ],
    'triple quotes, harmless': [
      '{"name": "grep", "arguments": {"pattern": """x "y" \\z"""}}',
      'json grep {"pattern":"x \\"y\\" \\\\z"} repaired',
    ],
    backslashes: [
      '{"name": "grep", "arguments": {"pattern": "\\d+\\w"}}',
      'json grep {"pattern":"\\\\d+\\\\w"} repaired',
    ],
    'quotes not escaped, harmless': [
      '{"name": "grep", "arguments": {"pattern": "say "hi" now", "path": "src"}}',
      'json grep {"pattern":"say \\"hi\\" now","path":"src"} repaired',
    ],
    'a missing comma': [
      '{"name": "read_file" "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} repaired',
    ],
    'thinking before': [
      '<think>{"name": "shell", "arguments": {"command": "x"}}</think>{"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"}',
    ],
    'the tools prefix of no tool': [
      '{"name": "functions.look", "arguments": {"file_path": "a"}}',
      'json look {"file_path":"a"}',
    ],
    'an underscore first': ['{_id: 1, "name": "read_file", "arguments": {"file_path": "a"}}', 'final_answer'],
    'broken in a fence, then a call': [
      '```json\n{"name": "read_file", "arguments": {"file_path": "a"\n```',
      'json read_file {"file_path":"a"} repaired',
    ],
    'an escaped quote in single quotes': [
      "{'name': 'grep', 'arguments': {'pattern': 'it\\'s'}}",
      'json grep {"pattern":"it\'s"} repaired',
    ],
    'many braces': [
      '{"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"name": "read_file", "arguments": {"file_path": "a"}}',
      'json read_file {"file_path":"a"} | {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1} {"a": 1}',
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
