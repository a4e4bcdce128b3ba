/** The list of runners as Markdown, for docs/SECURITY.md. */
import { RUNNERS } from '../sidecar/solving/brief/runners.ts';

/** Returns a line for each runner: the globs of its tests, and of its settings. */
export const runnersTable = (): string => RUNNERS.map(lineOf).join('\n');

function lineOf({ name, testGlobs, settingsGlobs }: (typeof RUNNERS)[number]): string {
  const facts = [labelled('', testGlobs), labelled('settings ', settingsGlobs)].filter((fact) => fact !== '');
  return `- ${name}: ${facts.join('; ')}`;
}

const labelled = (label: string, globs = ''): string =>
  globs === ''
    ? ''
    : `${label}${globs
        .split(' ')
        .filter(Boolean)
        .map((glob) => `\`${glob}\``)
        .join(' ')}`;
