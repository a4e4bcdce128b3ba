/** The documentation of a function in Python stands in its body: an answer that leaves it out does not remove it. */

const DOCUMENTATION = /^[ \t]*[rRuU]?("""|''')[\s\S]*?\1[^\n]*(?:\n|$)/;

/**
 * `text`, which ends with as many lines of a body as `body` has, with the documentation of `oldBody` above them. Undefined
 * where there is none to keep. Bodies begin with their first line, indentation included.
 */
export function withDocumentation(text: string, body: string, oldBody: string): string | undefined {
  const [documentation] = DOCUMENTATION.exec(oldBody) ?? [];
  if (documentation === undefined || DOCUMENTATION.test(body)) return undefined;
  const lines = text.split('\n');
  const bodyStart = lines.length - body.split('\n').length;
  return lines.toSpliced(bodyStart, 0, documentation.replace(/\n$/, '')).join('\n');
}
