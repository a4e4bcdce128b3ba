/** The corpus: real projects of many kinds, as the package registries serve them, in fixed versions. */
import type { Project } from './project.ts';
import { goModules } from './rows/go.ts';
import { nodeProjects } from './rows/node.ts';
import { otherProjects } from './rows/others.ts';
import { pythonProjects } from './rows/python.ts';
import { crates } from './rows/rust.ts';

export const projects: readonly Project[] = [
  ...nodeProjects,
  ...pythonProjects,
  ...crates,
  ...goModules,
  ...otherProjects,
];
