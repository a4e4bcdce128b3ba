/** Questions about code that need no grammar. */

export const folded = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().replace(/;$/, '');
/** Whether the part stands in it, white space aside. */
export const isIn = (whole: string, part: string): boolean =>
  whole.includes(part.trim()) || folded(whole).includes(folded(part));

/** Whether the name is used otherwise than as a member. */
export const isUsed = (text: string, name: string): boolean =>
  /^[\w$]+$/.test(name) &&
  new RegExp(`(?<![\\w$.])${name.replaceAll('$', String.raw`\$`)}(?![\\w$])`).test(text);
export const definesName = (text: string, name: string): boolean =>
  new RegExp(
    `(?:function\\*?|const|let|var|def|class|fn)\\s+${name.replaceAll('$', String.raw`\$`)}(?![\\w$])`,
  ).test(text);
