/**
 * JavaScript has several ways to write one function. An answer may give `function add() {}` for what is a method, a
 * member of an object or an assignment to `exports` in the file; it is rewritten so that it stays what it was.
 */
import type { Definition } from '../definitions/index.ts';

interface Written {
  definition: Definition;
  text: string;
  value?: string;
}

const MODIFIERS = new Set(['public', 'private', 'protected', 'static', 'override', 'readonly', 'abstract']);
const FUNCTION = /^(async\s+)?function\s*(\*)?\s*([\w$]*)\s*(?=[(<])/;

/** `written` in the form of `old`. */
export function inFormOf(written: Written, old: Definition, fileText: string): string {
  const { definition, text } = written;
  const { form } = definition;
  const oldText = fileText.slice(old.bareStart, old.end);
  if (old.kind === 'call' || definition.kind === 'call') return text;
  if (old.form === 'assignment' || (old.form === 'variable' && form === 'assignment'))
    return assigned(written, old, fileText);
  if (old.form === 'pair') return paired(written, old, fileText);
  if (old.form === 'method' || old.form === 'field') return asMember(written, oldText);
  if (form === 'method') return methodAsFunction(text, definition.name);
  if (form === 'assignment' || form === 'pair') return declared(written);
  return text;
}

/** What can stand behind `=`. */
function valueOf({ definition, text, value }: Written): string {
  if (value !== undefined && definition.form !== 'method') return value;
  if (definition.form === 'method') return methodAsFunction(text, definition.name);
  return text.replace(/;$/, '');
}

function assigned(written: Written, old: Definition, fileText: string): string {
  const { definition, text } = written;
  if (!old.value) return text;
  if (definition.form === 'assignment' && definition.container === old.container) {
    const oldLeft = fileText.slice(old.bareStart, old.value.start);
    const isSameLeft = text.startsWith(oldLeft.trimEnd());
    if (isSameLeft)
      return text.endsWith(';') || !fileText.slice(old.value.end, old.end).endsWith(';') ? text : `${text};`;
  }
  const before = fileText.slice(old.bareStart, old.value.start);
  return before + valueOf(written) + fileText.slice(old.value.end, old.end);
}

function paired(written: Written, old: Definition, fileText: string): string {
  const { definition, text } = written;
  if (definition.form === 'pair' || definition.form === 'method') return text;
  if (!old.value) return text;
  return fileText.slice(old.bareStart, old.value.start) + valueOf(written);
}

function asMember(written: Written, oldText: string): string {
  const { definition, text, value } = written;
  if (definition.form === 'method' || definition.form === 'field')
    return withModifiers(text, definition.name, oldText);
  const source = definition.form === 'declaration' ? text : (value ?? text);
  const [whole, isAsync = '', star = ''] = FUNCTION.exec(source) ?? [];
  if (whole !== undefined)
    return withModifiers(
      `${isAsync}${star}${definition.name}${source.slice(whole.length)}`,
      definition.name,
      oldText,
    );
  if (definition.kind === 'function' && value !== undefined)
    return withModifiers(`${definition.name} = ${value};`, definition.name, oldText);
  return text;
}

/** `static`, `private` and the like that an answer without the class around it left out. */
function withModifiers(text: string, name: string, oldText: string): string {
  const words = (of: string): string[] =>
    of
      .slice(0, Math.max(0, of.indexOf(name)))
      .split(/\s+/)
      .filter(Boolean);
  const given = words(text);
  if (given.some((word) => MODIFIERS.has(word))) return text;
  const kept = words(oldText).filter((word) => MODIFIERS.has(word));
  return kept.length === 0 ? text : `${kept.join(' ')} ${text}`;
}

function methodAsFunction(text: string, name: string): string {
  const head = text.indexOf(name);
  const before = text.slice(0, Math.max(0, head));
  if (/\b(get|set)\b/.test(before)) return text;
  const isAsync = /\basync\b/.test(before) ? 'async ' : '';
  const star = before.includes('*') ? '*' : '';
  return `${isAsync}function${star} ${text.slice(head)}`;
}

function declared(written: Written): string {
  const { definition, value, text } = written;
  if (value === undefined) return text;
  const [whole, isAsync = '', star = ''] = FUNCTION.exec(value) ?? [];
  if (whole !== undefined) return `${isAsync}function${star} ${definition.name}${value.slice(whole.length)}`;
  if (/^class\s*\{/.test(value)) return value.replace(/^class\s*/, `class ${definition.name} `);
  return `const ${definition.name} = ${value};`;
}
