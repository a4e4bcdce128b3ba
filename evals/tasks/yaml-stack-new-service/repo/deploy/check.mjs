import { existsSync, readFileSync } from 'node:fs';
import { readYaml } from './yaml.mjs';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const { services } = readYaml(read('stack.yaml'));
const { routes } = readYaml(read('proxy.yaml'));
const problems = [];
const ports = {};

for (const [name, service] of Object.entries(services)) {
  if (!existsSync(new URL(service.env_file ?? 'missing', import.meta.url))) {
    problems.push(`${name}: no file ${service.env_file}`);
    continue;
  }
  const port = /^PORT=(\d+)$/m.exec(read(service.env_file))?.[1];
  if (!port) problems.push(`${name}: no PORT in ${service.env_file}`);
  if (Object.values(ports).includes(port)) problems.push(`${name}: port ${port} is taken`);
  ports[name] = port;
  if (!service.health?.includes(`:${port}`)) problems.push(`${name}: the health check does not use port ${port}`);
  for (const other of service.depends_on ?? []) {
    if (!(other in services)) problems.push(`${name}: depends on ${other}, which is not there`);
  }
}
for (const { path, to } of routes) {
  const [name, port] = to.split(':');
  if (ports[name] !== port) problems.push(`proxy ${path}: ${to} is no service with that port`);
}
if (routes.at(-1).path !== '/') problems.push('proxy: the last route must be /');

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
