/** Where tool chains keep on this machine what a build needs: by a variable of the worker, else by the tool's default. Pure. */
import { join } from 'node:path';

export interface ToolPlace {
  tool: string;
  /** What commands of a build read. Credentials may lie beside it. */
  paths: string[];
  /** Where a project has this file its commands are shown the paths; a person decides on those without. */
  file?: string;
  /** Variables that have the tool look there. */
  variables?: Record<string, string>;
  /** What else has to be set, once the paths can be read. */
  besides?: string;
}

export function placesOfTools(home: string, variables: NodeJS.ProcessEnv): ToolPlace[] {
  const [workspace = ''] = (variables.GOPATH ?? '').split(':');
  const go = variables.GOMODCACHE || join(workspace || join(home, 'go'), 'pkg/mod');
  const cargo = variables.CARGO_HOME || join(home, '.cargo');
  const pnpm = variables.PNPM_HOME || join(home, '.local/share/pnpm');
  const gradle = join(variables.GRADLE_USER_HOME || join(home, '.gradle'), 'caches');
  const condas = ['miniconda3', 'anaconda3', 'miniforge3'].map((name) => join(home, name));
  return [
    { tool: 'Go', paths: [go], file: 'go.mod', variables: { GOMODCACHE: go } },
    {
      tool: 'Cargo',
      paths: ['registry', 'git'].map((name) => join(cargo, name)),
      file: 'Cargo.toml',
      variables: { CARGO_HOME: cargo },
    },
    // Java looks up the user's home folder itself, whatever HOME says.
    { tool: 'Maven', paths: [join(home, '.m2/repository')], file: 'pom.xml' },
    { tool: 'pnpm', paths: [join(pnpm, 'store')] },
    {
      tool: 'Gradle',
      paths: [gradle],
      besides: `GRADLE_RO_DEP_CACHE=${gradle} for the worker and in sandbox.env`,
    },
    { tool: 'conda', paths: variables.CONDA_PREFIX ? [variables.CONDA_PREFIX] : condas },
  ];
}
