import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

const read = (path) => readFileSync(path, 'utf8');
const compose = read('compose.yaml');
const names = [...compose.slice(0, compose.indexOf('\nvolumes:')).matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
assert.deepEqual(names.sort(), ['db', 'jobs', 'redis', 'web']);
assert.match(compose, /^ {2}redis:\n {4}image: redis:7\n {4}volumes:\n {6}- cache-data:\/data\n/m);
assert.match(compose, /^volumes:\n {2}cache-data:/m);
assert.doesNotMatch(compose.replaceAll('cache-data', ''), /cache|mailtrap/);
for (const service of ['web', 'jobs']) {
  const part = compose.slice(compose.indexOf(`\n  ${service}:`)).split(/\n {2}(?=\w)/)[1];
  assert.match(part, /\bredis\b/, service);
  assert.match(part, /\bdb\b/, service);
}
assert.equal(read('env/web.env').trim(), 'CACHE_URL=redis://redis:6379/0\nCACHE_TTL=60\nDB_HOST=db');
assert.equal(read('env/jobs.env').trim(), 'QUEUE_HOST=redis\nQUEUE_PORT=6379');
assert.equal(existsSync('env/mailtrap.env'), false);
const ci = read('ci.yaml');
assert.match(ci, /up --detach redis db/);
assert.match(ci, /wait-for redis 6379/);
assert.match(ci, /- cache: node_modules/);
