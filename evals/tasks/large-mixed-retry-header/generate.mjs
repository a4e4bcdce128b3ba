// Writes a gateway in JavaScript, workers in Python and what lies around in such a repository.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = process.argv[2];
function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text.startsWith('\n') ? text.slice(1) : text);
}

const subjects = ['image', 'video', 'audio', 'report', 'invoice', 'mail', 'archive', 'index', 'thumbnail', 'caption', 'export', 'import', 'backup', 'cleanup'];
const steps = ['fetch', 'check', 'convert', 'store', 'notify'];
const zones = ['eu-1', 'eu-2', 'us-1', 'us-2', 'asia-1'];

write('.gitignore', '__pycache__/\n*.pyc\n');
write('package.json', `${JSON.stringify({ name: 'conveyor', private: true, type: 'module' }, null, 2)}\n`);
write('README.md', '# conveyor\n\n`gateway/` takes jobs and sends them on, `workers/` do them, `deploy/` says where they run, `docs/` what they say to each other.\n');
for (const subject of subjects) {
  const Name = subject[0].toUpperCase() + subject.slice(1);
  for (const step of steps) {
    write(`workers/${subject}/${step}.py`, `
"""${Name} jobs: ${step}."""

from workers.base import Step


class ${Name}${step[0].toUpperCase()}${step.slice(1)}(Step):
    name = "${subject}.${step}"
    seconds = ${10 + ((subject.length * 7 + step.length * 13) % 50)}

    def work(self, job):
        return {**job, "done": [*job.get("done", []), self.name]}
`);
    write(`docs/steps/${subject}-${step}.md`, `# ${Name}: ${step}\n\nStep \`${subject}.${step}\` of ${subject} jobs. It is tried again when it fails, see the protocol.\n`);
  }
  write(`workers/${subject}/__init__.py`, `"""Steps of ${subject} jobs."""\n`);
  write(`gateway/src/jobs/${subject}.js`, `
import { send } from '../send.js';

/** Sends a ${subject} job through its steps. */
export async function run${Name}(job, transport) {
  let result = job;
  for (const step of [${steps.map((s) => `'${s}'`).join(', ')}]) result = await send(\`${subject}.\${step}\`, result, transport);
  return result;
}
`);
  for (const zone of zones) {
    write(`deploy/${zone}/${subject}.yaml`, `name: ${subject}-worker\nzone: ${zone}\nreplicas: ${1 + (subject.length % 4)}\nattempts: 3\n`);
    write(`deploy/${zone}/${subject}.env`, `WORKER=${subject}\nZONE=${zone}\nLOG_LEVEL=info\n`);
  }
}
write('workers/__init__.py', '"""Workers of the conveyor."""\n');
write('workers/base.py', `
"""What all steps share."""

from workers.headers import attempt_of


class Step:
    name = ""
    seconds = 30

    def work(self, job):
        raise NotImplementedError

    def handle(self, headers, job):
        """Does a job; says which attempt it was."""
        return {"step": self.name, "attempt": attempt_of(headers), "job": self.work(job)}
`);
write('workers/headers.py', `
"""Headers of requests, with names in lower case."""

ATTEMPT = "x-try"
TRACE = "x-trace"


def normalized(headers):
    return {name.lower(): value for name, value in headers.items()}


def attempt_of(headers):
    """Which attempt a request is; 1 when it does not say."""
    value = normalized(headers).get(ATTEMPT, "1")
    return int(value) if value.isdigit() and int(value) > 0 else 1


def trace_of(headers):
    return normalized(headers).get(TRACE)
`);
write('workers/test_headers.py', `
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from workers.headers import attempt_of, trace_of
from workers.image.fetch import ImageFetch


class HeaderTest(unittest.TestCase):
    def test_attempt(self):
        self.assertEqual(attempt_of({"X-Attempt-Number": "3"}), 3)

    def test_old_gateway(self):
        self.assertEqual(ImageFetch().handle({"x-attempt": "2"}, {})["attempt"], 2)

    def test_nothing_or_nonsense(self):
        self.assertEqual(attempt_of({}), 1)
        self.assertEqual(attempt_of({"x-attempt-number": "many"}), 1)

    def test_trace(self):
        self.assertEqual(trace_of({"X-Trace": "abc"}), "abc")


if __name__ == "__main__":
    unittest.main()
`);
write('gateway/src/headers.js', `
/** Names of the headers that the gateway sends to workers. */
export const HEADERS = { attempt: 'x-attempt', trace: 'x-trace', step: 'x-step' };
`);
write('gateway/src/send.js', `
import { HEADERS } from './headers.js';

/** Sends one step to a worker; tries again up to \`attempts\` times. */
export async function send(step, job, transport, attempts = 3) {
  let last;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const headers = { [HEADERS.step]: step, [HEADERS.attempt]: String(attempt), [HEADERS.trace]: job.trace ?? 'none' };
    try {
      return await transport(headers, job);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
`);
write('gateway/test/send.test.js', `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../src/send.js';

test('the attempt is sent', async () => {
  const seen = [];
  const transport = async (headers) => {
    seen.push(headers['x-attempt-number']);
    if (seen.length < 3) throw new Error('down');
    return 'done';
  };
  assert.equal(await send('image.fetch', {}, transport), 'done');
  assert.deepEqual(seen, ['1', '2', '3']);
});

test('gives up after the last attempt', async () => {
  await assert.rejects(send('image.fetch', {}, async () => Promise.reject(new Error('down'))), /down/);
});
`);
write('docs/protocol.md', `
# Between gateway and workers

| header      | meaning                                   |
| ----------- | ----------------------------------------- |
| \`x-step\`    | the step to do, such as \`image.fetch\`      |
| \`x-attempt\` | which attempt this is, beginning with 1   |
| \`x-trace\`   | follows a job through all steps           |
`);
