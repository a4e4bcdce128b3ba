/** The documentation of a function in Python stands in its body: an answer that leaves it out does not remove it. */

const DOCUMENTED =
  /^((?:[ \t]*@[^\n]*\n|[ \t]*#[^\n]*\n)*[ \t]*(?:async\s+)?def\s[\s\S]*?:[ \t]*(?:#[^\n]*)?\n)([ \t]*(?:[rRuU]?"""[\s\S]*?"""|[rRuU]?'''[\s\S]*?''')[^\n]*\n)/;

/** The new function, with the old one's documentation where it has none. */
export function withDocumentation(text: string, old: string): string {
  const [, , documentation] = DOCUMENTED.exec(old) ?? [];
  if (documentation === undefined || DOCUMENTED.test(text)) return text;
  const head =
    /^((?:[ \t]*@[^\n]*\n|[ \t]*#[^\n]*\n)*[ \t]*(?:async\s+)?def\s[\s\S]*?:[ \t]*(?:#[^\n]*)?\n)/.exec(
      text,
    )?.[1];
  return head === undefined ? text : head + documentation + text.slice(head.length);
}
