/** The table of runners as Markdown, for docs/SECURITY.md. */
import { RUNNERS } from '../sidecar/brief/runners.ts';

export const runnersTable = (): string =>
  [
    '| runner | its tests | its settings |',
    '| --- | --- | --- |',
    ...RUNNERS.map(({ name, tests, settings }) => `| ${name} | ${listed(tests)} | ${listed(settings)} |`),
  ].join('\n');

const listed = (globs = ''): string =>
  globs
    .split(' ')
    .filter(Boolean)
    .map((glob) => `\`${glob}\``)
    .join(' ');
