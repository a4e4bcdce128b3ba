/**
 * Parses shell text into simple commands: quotes, comments, substitutions, pipes and redirections. Nothing is run, and values known only at
 * run time are left out of a word. Pure.
 */

export interface ShellCommand {
  /** The program and its arguments, without preceding assignments and keywords. */
  words: string[];
  /** Whether another command reads the output: it is substituted, piped, or written to a file that is named again. */
  isCaptured: boolean;
}

const MAX_CHARS = 200_000;
const MAX_COMMANDS = 5_000;
const MAX_DEPTH = 5;
/** Placeholder in a word for a value known only at run time. */
export const UNKNOWN = '\0';

/** Words that may precede the program of a command. */
const PREFIX_WORDS = new Set(
  'if then elif else while until do ! { exec command eval time nice env sudo export'.split(' '),
);

/** Parses a shell text into its simple commands. */
export function parseShellCommands(text: string): ShellCommand[] {
  const found: ShellCommand[] = [];
  const variables = new Map<string, string>();
  read(text.slice(0, MAX_CHARS).replaceAll('\\\n', ' '), { found, variables, depth: 0, isCaptured: false });
  return found;
}

interface ParseState {
  found: ShellCommand[];
  variables: Map<string, string>;
  depth: number;
  isCaptured: boolean;
}

function read(text: string, reading: ParseState): void {
  let open: ShellCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isTarget = false;
  let isRead = false;
  const add = (part: string): void => void (word = (word ?? '') + part);
  const endWord = (): void => {
    if (word === undefined) return;
    if (!isTarget) words.push(word);
    else if (!/^(?:&|\/dev\/)/.test(word) && text.split(word).length > 2) isRead = true;
    isTarget = false;
    word = undefined;
  };
  const endCommand = (isPiped: boolean): void => {
    endWord();
    while (words[0] !== undefined && isPrefix(words[0], reading.variables)) words.shift();
    const command = { words, isCaptured: reading.isCaptured || isRead };
    words = [];
    isRead = false;
    if (command.words.length > 0 && reading.found.length < MAX_COMMANDS) {
      // `tee` and `cat` pass all input on: only another command reads the output of the earlier ones.
      if (!/(?:^|\/)(?:tee|cat)$/.test(command.words[0] ?? ''))
        for (const earlier of open) earlier.isCaptured = true;
      reading.found.push(command);
      open.push(command);
    }
    if (!isPiped) open = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === "'") {
      const end = text.indexOf("'", at + 1);
      add(text.slice(at + 1, end < 0 ? undefined : end));
      at = end < 0 ? text.length : end;
    } else if (sign === '"') {
      const end = closing(text, at + 1);
      add(expand(text.slice(at + 1, end), reading));
      at = end;
    } else if (sign === '$' || sign === '`') {
      const end = substitutionEnd(text, at);
      add(expand(text.slice(at, end), reading));
      at = end - 1;
    } else if (sign === '\\') add(text[(at += 1)] ?? '');
    else if (sign === '#' && word === undefined) at = lineEnd(text, at) - 1;
    else if (sign === '>' || sign === '<') {
      if (/^\d$/.test(word ?? '')) word = undefined;
      endWord();
      if (text[at + 1] === sign) at += 1;
      isTarget = sign === '>';
    } else if (/\s/.test(sign) && sign !== '\n') endWord();
    else if (sign === '&' && (text[at - 1] === '>' || text[at + 1] === '>')) add(sign);
    else if (/[\n;&|(){}]/.test(sign) && !(/[{}]/.test(sign) && word !== undefined)) {
      const isPipe = sign === '|' && text[at + 1] !== '|';
      if (/[&|]/.test(sign) && text[at + 1] === sign) at += 1;
      endCommand(isPipe);
    } else add(sign);
  }
  endCommand(false);
}

/** Returns whether a word precedes the program; records an assignment for later words. */
function isPrefix(word: string, variables: Map<string, string>): boolean {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined && value !== undefined) variables.set(name, value);
  return name !== undefined || PREFIX_WORDS.has(word);
}

/** Expands variables in a text, and parses the commands that it contains. */
function expand(text: string, reading: ParseState): string {
  let result = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '\\') result += text[(at += 1)] ?? '';
    else if (sign !== '$' && sign !== '`') result += sign;
    else {
      const end = substitutionEnd(text, at);
      const inner = text.slice(at, end);
      at = end - 1;
      const [, name] = /^\$\{?(\w+)\}?$/.exec(inner) ?? [];
      const body = sign === '`' ? inner.slice(1, -1) : inner.startsWith('$(') ? inner.slice(2, -1) : '';
      if (body !== '' && reading.depth < MAX_DEPTH)
        read(body, { ...reading, depth: reading.depth + 1, isCaptured: true });
      result += (name !== undefined && reading.variables.get(name)) || UNKNOWN;
    }
  }
  return result;
}

/** Returns the end of the variable or the substitution that begins at `from`. */
function substitutionEnd(text: string, from: number): number {
  if (text[from] === '`') {
    const end = text.indexOf('`', from + 1);
    return end < 0 ? text.length : end + 1;
  }
  const [open, close] = text[from + 1] === '(' ? '()' : text[from + 1] === '{' ? '{}' : '';
  if (open === undefined || close === undefined)
    return from + (/^\$(?:\w+|.)?/s.exec(text.slice(from, from + 200))?.[0].length ?? 1);
  let depth = 0;
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === open) depth += 1;
    if (text[at] === close && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
}

function closing(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
    else if (text[at] === '$' && text[at + 1] === '(') at = substitutionEnd(text, at) - 1;
  }
  return text.length;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
