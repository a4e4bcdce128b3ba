/**
 * Lists the simple commands of a shell text, including those of substitutions and functions. No command is run. A placeholder represents a
 * value that is known only at run time. Pure.
 */
import { forEachChild, parse, type Redirection, type SyntaxNode, type Word, type WordPart } from 'unbash';

export interface ShellCommand {
  /** The program and its arguments, without preceding assignments and programs such as `env`. */
  words: string[];
  /**
   * Whether the output or the effect is examined by another command: the command is substituted or piped, its output is written to a file
   * that is named later, or its exit code changes nothing, since other commands follow and the shell does not stop at a failure.
   */
  isCaptured: boolean;
}

const MAX_CHARS = 100_000;
const MAX_VALUE_CHARS = 1_000;
/** Maximum depth of nested substitutions. */
const MAX_DEPTH = 5;
/** Placeholder in a word for a value known only at run time. */
export const UNKNOWN_VALUE = '\0';

/** Matches words that may precede the program of a command, such as `timeout 60`. */
const PREFIX_WORD = /^(?:exec|command|eval|time|timeout|nice|env|sudo|export|\d+[smh]?|\w+=.*)$/s;
/** Matches an option that ends a script at the first failure. */
const STOP_ON_ERROR_OPTION = /^#!.*\s-\w*e|\bset\s+-(?:\w*e|o\s+errexit)/m;
/** Returns whether a command passes its input on (`cat`, `tee`). */
const passesInputOn = (node: SyntaxNode): boolean =>
  node.type === 'Command' && /\b(?:tee|cat)$/.test(node.name?.value ?? '');

/** Parses a shell text into its simple commands. */
export function parseShellCommands(text: string): ShellCommand[] {
  const source = text.slice(0, MAX_CHARS);
  const found: ShellCommand[] = [];
  const variables = new Map<string, string>();
  const dropped = new Set<SyntaxNode>();
  const stops = STOP_ON_ERROR_OPTION.test(source);
  const expand = (part: Word | WordPart): string => {
    if ('parts' in part && part.parts) return part.parts.map(expand).join('');
    if ('value' in part) return part.value;
    if (part.type === 'BraceExpansion' || part.type === 'ExtendedGlob') return part.text;
    return variables.get(/^\$\{?(\w+)\}?$/.exec(part.text)?.[1] ?? '') || UNKNOWN_VALUE;
  };
  const isReadAgain = (one: Redirection): boolean => {
    const isOutput = one.type === 'Redirect' && !one.operator.startsWith('<');
    const name = (isOutput && one.target?.text.replaceAll(/["']/g, '')) || '/dev/null';
    return !name.startsWith('/dev/') && source.split(name).length > 2;
  };
  const add = (all: string[], isCaptured: boolean): void => {
    const words = all.slice(all.findIndex((word) => !PREFIX_WORD.test(word)));
    if (words.length > 0) found.push({ words, isCaptured });
  };
  const collect = (node: SyntaxNode, isCaptured: boolean, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    const isInner = node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution';
    const isRead = isCaptured || isInner || ('redirects' in node && node.redirects.some(isReadAgain));
    if (node.type === 'Assignment' && node.value.type === 'Word') {
      const value = expand(node.value).slice(0, MAX_VALUE_CHARS);
      variables.set(node.name, value);
      // A variable can pass options: `NODE_OPTIONS='--require ./hook.js'`.
      if (value.startsWith('-')) add(value.split(/\s+/), isRead);
    }
    if (node.type === 'For')
      variables.set(node.name.value, `{${(node.wordlist ?? []).map(expand).join(',')},}`);
    if (node.type === 'Command') {
      const args = node.args.map((arg) => (arg.type === 'Word' ? expand(arg) : arg.text));
      const words = [...(node.name ? [expand(node.name)] : []), ...args];
      add(words, isRead || (dropped.has(node) && !/^(?:\.|source)$/.test(words[0] ?? '')));
    }
    if ((node.type === 'Script' || node.type === 'CompoundList') && !stops)
      node.commands.forEach(({ command }, at) => {
        const next = node.commands[at + 1];
        if (next && !source.slice(next.pos, next.end).includes('$?')) dropped.add(command);
      });
    const last = node.type === 'Pipeline' ? node.commands.findLast((one) => !passesInputOn(one)) : undefined;
    let isPiped = last !== undefined;
    forEachChild(node, (child) => {
      isPiped &&= child !== last;
      collect(child, isRead || isPiped, depth + Number(isInner));
    });
  };
  collect(parse(source), false, 0);
  return found;
}
