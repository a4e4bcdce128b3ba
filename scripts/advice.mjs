// What the dashboard says of the codes of failed tasks, from the lists of docs/ERRORS.md. Pure.

/** Sections whose codes end tasks. */
const sections = /^(State folder|Model server|Workspace|Tasks)\n/;

/** The page's module of `code: [means, do]`. */
export function adviceModule(markdown) {
  const rows = markdown
    .split(/^## /m)
    .filter((section) => sections.test(section))
    .flatMap((section) => section.replaceAll(/\n {2}(?=\S)/g, ' ').split('\n'))
    .flatMap(rowOf);
  return `/*
 * What the codes of failed tasks mean and what to do: made by npm run docs from docs/ERRORS.md.
 */

/** \`[what it means, what to do]\` */
export const advice = {
${rows.map(([code, ...texts]) => `  ${code}: ${JSON.stringify(texts)},`).join('\n')}
};
`;
}

/** Reads the line "- `code`: means. Do."; a number in brackets may follow the code. */
function rowOf(line) {
  const [, code, means, todo] = /^- `(\w+)`(?: \(\d+\))?: (.+?)\. (.+)\.$/.exec(line) ?? [];
  return code === undefined ? [] : [[code, means, todo[0].toLowerCase() + todo.slice(1)].map(plain)];
}

const plain = (cell) => cell.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
