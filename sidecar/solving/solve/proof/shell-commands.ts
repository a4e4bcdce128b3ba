/**
 * Lists the simple commands of a shell text, including those of substitutions and functions. No command is run. A placeholder represents a
 * value that is known only at run time. Pure.
 */
import { forEachChild, parse, type Redirection, type SyntaxNode, type Word, type WordPart } from 'unbash';

export interface ShellCommand {
  /** The program and its arguments, without preceding assignments and programs such as `env`. For a loop, `for` and its values. */
  words: string[];
  /**
   * Whether another command reads the output: the command is substituted or piped, or the output is written to a file that is named later.
   */
  isCaptured: boolean;
  /** Whether the exit code changes nothing: other commands follow, and the shell does not stop at a failure. */
  isDropped: boolean;
}

const MAX_CHARS = 100_000;
const MAX_VALUE_CHARS = 1_000;
const MAX_COMMANDS = 5_000;
/** Maximum depth of nested substitutions. */
const MAX_DEPTH = 5;
/** Placeholder in a word for a value known only at run time. */
export const UNKNOWN = '\0';

/** Matches words that may precede the program of a command. */
const PREFIX = /^(?:exec|command|eval|time|nice|env|sudo|export|\w+=.*)$/s;
const SHELL = /(?:^|\/)(?:ba|z|da|k)?sh$/;
/** Matches an option that ends a script at the first failure. */
const STOPS = /^#!.*\s-\w*e|\bset\s+-(?:\w*e|o\s+errexit)/m;
/** Returns whether a command reads its input. `tee` and `cat` pass it on. */
const isReader = (node: SyntaxNode): boolean =>
  node.type !== 'Command' || !/(?:^|\/)(?:tee|cat)$/.test(node.name?.value ?? '');

/** Parses a shell text into its simple commands. */
export function parseShellCommands(text: string): ShellCommand[] {
  const source = text.slice(0, MAX_CHARS);
  const found: ShellCommand[] = [];
  const variables = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const word of source.split(/[\s;|&<>()"']+/)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const expand = (parts: readonly WordPart[]): string =>
    parts
      .map((part): string => {
        if ('value' in part) return part.value;
        if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return expand(part.parts);
        if (part.type === 'BraceExpansion' || part.type === 'ExtendedGlob') return part.text;
        const [, name = ''] = /^\$\{?(\w+)\}?$/.exec(part.text) ?? [];
        return variables.get(name) || UNKNOWN;
      })
      .join('');
  const textOf = (word: Word): string => (word.parts ? expand(word.parts) : word.value);
  const isReadAgain = (redirects: readonly Redirection[]): boolean =>
    redirects.some((one) => {
      const name =
        one.type === 'Redirect' && !one.operator.startsWith('<') && one.target?.text.replaceAll(/["']/g, '');
      return name && !name.startsWith('/dev/') && (counts.get(name) ?? 0) > 1;
    });
  const stops = STOPS.test(source);
  const dropped = new Set<SyntaxNode>();
  const add = (words: string[], isCaptured: boolean, isDropped = false): void => {
    while (words[0] !== undefined && PREFIX.test(words[0])) words.shift();
    if (words.length > 0 && found.length < MAX_COMMANDS) found.push({ words, isCaptured, isDropped });
  };
  const isStatusRead = (next: SyntaxNode | undefined): boolean =>
    next !== undefined && source.slice(next.pos, next.end).includes('$?');
  const collect = (node: SyntaxNode, isCaptured: boolean, depth: number): void => {
    const isInner = node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution';
    // An inner script is parsed when it is visited.
    if (depth > MAX_DEPTH) return;
    let isRead = isCaptured || isInner;
    if (node.type === 'Assignment' && node.value.type === 'Word') {
      const value = textOf(node.value).slice(0, MAX_VALUE_CHARS);
      variables.set(node.name, value);
      // A variable can pass options: `NODE_OPTIONS='--require ./hook.js'`.
      if (value.startsWith('-')) add(value.split(/\s+/), isRead);
    }
    if (node.type === 'Command' || node.type === 'Redirected') isRead ||= isReadAgain(node.redirects);
    if (node.type === 'For') {
      const values = (node.wordlist ?? []).map(textOf);
      variables.set(node.name.value, values.length > 1 ? `{${values.join(',')}}` : (values[0] ?? ''));
    }
    if (node.type === 'Command') {
      const args = node.args.map((arg) => (arg.type === 'Word' ? textOf(arg) : arg.text));
      add([...(node.name ? [textOf(node.name)] : []), ...args], isRead, dropped.has(node));
      for (const one of node.redirects)
        if (one.type === 'HereDoc' && node.name && SHELL.test(node.name.value))
          collect(parse(one.body.text), isRead, depth + 1);
    }
    if ((node.type === 'Script' || node.type === 'CompoundList') && !stops)
      for (const [at, { command }] of node.commands.slice(0, -1).entries())
        if (!isStatusRead(node.commands[at + 1])) dropped.add(command);
    const last = node.type === 'Pipeline' ? node.commands.findLastIndex(isReader) : 0;
    let at = 0;
    forEachChild(node, (child) => {
      const isPiped = node.type === 'Pipeline' && at < last + node.prefixes.length;
      collect(child, isRead || isPiped, depth + Number(isInner));
      at += 1;
    });
  };
  collect(parse(source), false, 0);
  return found;
}
