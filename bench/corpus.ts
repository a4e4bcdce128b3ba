/**
 * Real projects of many kinds, fetched once from the package registries: whether their checks end in the sandbox as on the host,
 * and whether repairs are judged right. Names behind the part take some of them.
 */
import { prepare } from '../test/corpus/projects/prepare.ts';
import { projects } from '../test/corpus/projects/table.ts';
import { tryProject, type Trial } from '../test/corpus/projects/try-project.ts';
import type { Figure, Table } from './support/measure.ts';

export async function bench(): Promise<{ figures: Figure[]; tables: Table[] }> {
  const wanted = (process.env.CORPUS_PROJECTS ?? '').split(',').filter(Boolean);
  const trials: Trial[] = [];
  const missing: string[] = [];
  for (const project of projects) {
    if (wanted.length > 0 && !wanted.includes(project.name)) continue;
    const problem = await prepare(project);
    if (problem === undefined) trials.push(await tryProject(project));
    else missing.push(`${project.name}: ${problem}`);
    // The whole takes long: each row is shown when it is there.
    process.stderr.write(`${missingOrRow(problem, trials.at(-1), project.name)}\n`);
  }
  const same = trials.filter(({ differences }) => differences.length === 0);
  return {
    figures: [
      figure('projects', trials.length),
      figure('kinds', new Set(trials.map(({ project }) => project.kind)).size),
      figure('as on the host', same.length),
      ...missing.map((name) => ({ ...figure('not here', 0), note: name })),
    ],
    tables: [{ title: 'Each project', columns: COLUMNS, rows: trials.map((trial) => rowOf(trial)) }],
  };
}

const figure = (name: string, value: number): Figure => ({ name, value, unit: '' });

const COLUMNS = ['project', 'kind', 'tests', 'host, s', 'here, s', 'differences'];

function rowOf({ project, host, here, differences }: Trial): string[] {
  const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : (ms / 1000).toFixed(1));
  const differing = project.differs ?? (differences.length === 0 ? 'none' : differences.join('; '));
  return [
    project.name,
    project.kind,
    String(host.passed ?? '–'),
    seconds(host.ms),
    seconds(here?.ms),
    differing,
  ];
}

const missingOrRow = (problem: string | undefined, trial: Trial | undefined, name: string): string =>
  problem === undefined && trial ? rowOf(trial).join(' | ') : `${name}: ${problem}`;
