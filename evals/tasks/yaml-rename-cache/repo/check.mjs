import { existsSync, readFileSync } from 'node:fs';

// Services and env files of compose.yaml: enough of YAML for this file.
const text = readFileSync('compose.yaml', 'utf8');
const services = [...text.slice(0, text.indexOf('\nvolumes:')).matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
const wanted = [...text.matchAll(/depends_on: \[(.*)\]|^ {6}- ([\w-]+)$/gm)].flatMap(([, list, one]) => one ?? list.split(', '));
const problems = wanted.filter((name) => !services.includes(name)).map((name) => `no service ${name}`);
for (const [, path] of text.matchAll(/env_file: (\S+)/g)) if (!existsSync(path)) problems.push(`no file ${path}`);
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
