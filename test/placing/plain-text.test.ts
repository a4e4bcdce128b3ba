import { describe, expect, test } from '@jest/globals';
import { placeAnswer } from '../../sidecar/placing/index.ts';
import { withPlainBlock } from '../../sidecar/placing/plain-text.ts';

const readme = `# thumb

Makes small pictures.

## Options

| option     | meaning    |
| ---------- | ---------- |
| \`--format\` | kind       |
| \`--width\`  | in pixels  |

## Exit codes

- 0: all pictures were made
- 1: at least one failed
`;
const table = readme.slice(readme.indexOf('| option'), readme.indexOf('\n\n## Exit'));
const row = '| `--quiet`  | no output  |';
const withRow = readme.replace('\n\n## Exit', `\n${row}\n\n## Exit`);

describe('a block of prose', () => {
  test('that is a part of the file replaces that part, and nothing else is lost', () => {
    const part = withRow.slice(withRow.indexOf('| option')).trimEnd();
    expect(withPlainBlock('README.md', readme, part)).toBe(withRow);
  });

  test('may add lines behind what it repeats', () => {
    expect(withPlainBlock('README.md', readme, `${table}\n${row}\n`)).toBe(withRow);
    expect(withPlainBlock('README.md', readme, `| \`--width\`  | in pixels  |\n${row}`)).toBe(withRow);
  });

  test('that repeats nothing, or lines in no one place, is not put in', () => {
    expect(withPlainBlock('README.md', readme, row)).toBeUndefined();
    const twice = `${readme}\n${table}\n`;
    expect(withPlainBlock('README.md', twice, `${table}\n${row}`)).toBeUndefined();
  });

  test('that is the whole file, its title changed, replaces it', () => {
    const other = withRow.replace('# thumb', '# thumbs');
    expect(withPlainBlock('README.md', readme, other)).toBe(other);
  });

  test('that skips most of what stands between its ends would lose it', () => {
    const gap = '| option     | meaning    |\n- 1: at least one failed';
    expect(withPlainBlock('README.md', readme, gap)).toBeUndefined();
  });
});

describe('a block of data', () => {
  const settings = '{\n  "name": "a",\n  "retries": 3,\n  "urls": {\n    "main": "x"\n  }\n}\n';

  test('that has all keys is the whole file, however it is written', () => {
    const compact = '{"name":"a","retries":5,"urls":{"main":"x"}}';
    expect(withPlainBlock('a.json', settings, compact)).toBe(compact);
  });

  test('that comments on JSON is put in without the comments, unless the file has some', () => {
    const said = settings.replace('3,', '5, // more often').replace('"x"', '"http://x", // the main one');
    const wanted = settings.replace('3', '5').replace('"x"', '"http://x"');
    expect(withPlainBlock('a.json', settings, said)).toBe(wanted);
    const commented = settings.replace('3,', '3, // times');
    const changed = commented.replace('3', '5');
    expect(withPlainBlock('tsconfig.json', commented, changed)).toBe(changed);
  });

  test('that is a part must leave the file as readable as it was, with all that it has', () => {
    const part = '  "name": "a",\n  "retries": 5,\n  "urls": {';
    expect(withPlainBlock('a.json', settings, part)).toBe(settings.replace('3', '5'));
    expect(withPlainBlock('a.json', settings, '  "name": "a",\n  "retries": 5\n  "urls": {')).toBeUndefined();
    expect(withPlainBlock('a.json', settings, '  "name": "a",\n  "urls": {')).toBeUndefined();
  });

  test('of YAML: a key that would stand twice is not added', () => {
    const yaml = 'build:\n  node: 20\n  cache: npm\ntest:\n  run: npm test\n';
    expect(withPlainBlock('ci.yml', yaml, 'build:\n  node: 22\n  cache: npm')).toBe(yaml.replace('20', '22'));
    expect(withPlainBlock('ci.yml', yaml, '  cache: npm\n  node: 22')).toBeUndefined();
  });

  test('is put in by its keys, and what it does not name stays as it is', () => {
    const part = '{ "urls": { "other": "y" }, "retries": 5 }';
    expect(withPlainBlock('a.json', settings, part)).toBe(
      settings.replace('3', '5').replace('"main": "x"', '"main": "x",\n    "other": "y"'),
    );
    const line = '{ "a": { "b": 1 }, "c": [1, 2] }\n';
    expect(withPlainBlock('a.json', line, '{"a":{"d":2}}')).toBe('{ "a": { "b": 1, "d":2 }, "c": [1, 2] }\n');
    // What a shorter list leaves out may be meant to stay.
    expect(withPlainBlock('a.json', line, '{"c": [3]}')).toBeUndefined();
    expect(withPlainBlock('a.json', line, '{"z": 1}')).toBeUndefined();
  });

  test('of YAML is put in by its keys, comments of the file kept and those of the answer not', () => {
    const pipeline = [
      '# What runs on a push.',
      'jobs:',
      '  test:',
      '    matrix:',
      "        node: ['18', '20']   # supported",
      '        os: [linux]',
      '    steps:',
      '    - run: npm ci',
      '    - run: npm test',
      '  release:',
      '    needs: [test]',
      '',
    ].join('\n');
    const node = "jobs:\n  test:\n    matrix:\n      node: ['18', '20', '22'] // one more";
    expect(withPlainBlock('ci.yaml', pipeline, node)).toBe(pipeline.replace("'20']", "'20', '22']"));
    const steps =
      'jobs:\n  test:\n    steps:\n      - run: npm ci\n      - run: npm test\n        env: { CI: 1 }\n      - run: ls';
    expect(withPlainBlock('ci.yaml', pipeline, steps)).toBe(
      pipeline.replace('npm test\n', 'npm test\n      env: { CI: 1 }\n    - run: ls\n'),
    );
    const lint = 'jobs:\n  lint:\n    steps:\n      - run: npm run lint';
    expect(withPlainBlock('ci.yaml', pipeline, lint)).toBe(
      pipeline.replace('[test]\n', '[test]\n  lint:\n    steps:\n      - run: npm run lint\n'),
    );
    expect(
      withPlainBlock('ci.yaml', pipeline, 'jobs:\n  test:\n    steps:\n      - run: ls'),
    ).toBeUndefined();
  });
});

test('a bare diff that fits several files is meant for the one that the task names', async () => {
  const line = '    "newCheckout": { "enabled": false },\n';
  const files: Record<string, string> = { 'config/production.json': line, 'config/staging.json': line };
  const answer =
    '```diff\n-  "newCheckout": { "enabled": false },\n+  "newCheckout": { "enabled": true },\n```';
  const place = (named: string[]) =>
    placeAnswer(answer, {
      read: (path) => Promise.resolve(files[path]),
      shown: Object.keys(files),
      isNamed: (path) => named.includes(path),
      mayChange: () => true,
    });
  expect((await place([])).files).toEqual([]);
  expect((await place(['config/staging.json'])).files).toEqual([
    { path: 'config/staging.json', before: line, after: line.replace('false', 'true') },
  ]);
  expect((await place(Object.keys(files))).files).toEqual([]);
});

test('hunks that name no file go into the only one that they fit', async () => {
  const files: Record<string, string> = {
    'a.py': 'def a():\n    return 1\n',
    'b.py': 'def b():\n    x = 1\n    return x\n',
  };
  const place = (hunk: string) =>
    placeAnswer(`\`\`\`diff\n@@ -9,3 +9,3 @@ def b():\n${hunk}\n\`\`\``, {
      read: (path) => Promise.resolve(files[path]),
      shown: Object.keys(files),
      mayChange: () => true,
    });
  const { files: placed } = await place(' def b():\n-    x = 1\n+    x = 2\n     return x');
  expect(placed).toEqual([{ path: 'b.py', before: files['b.py'], after: files['b.py']?.replace('1', '2') }]);
  const nowhere = await place('-    y = 1\n+    y = 2');
  expect(nowhere.files).toEqual([]);
  expect(nowhere.unplaced[0]?.reason).toBe('the patch names no file');
});
