import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const text = readFileSync('.ci/pipeline.yaml', 'utf8');
const lists = [...text.matchAll(/^ {8}node: \[(.*)\]$/gm)].map((match) => match[1].split(',').map((item) => item.trim().replaceAll('"', "'")));
assert.deepEqual(lists, [["'18'", "'20'", "'22'"], ["'20'"]]);

// Nothing else changed: with the new version taken out again the text is the old one.
const before = text.replace(/^( {8}node: \[)'18', '20',\s*['"]22['"]\]$/m, "$1'18', '20']");
const old = `# What runs on each push. Versions are texts: 18.10 would be read as 18.1.
name: checks

on: [push, pull_request]

jobs:
  test:
    runs-on: linux
    strategy:
      matrix:
        node: ['18', '20']
        os: [linux, macos]
    steps:
      - checkout
      - setup-node: \${{ matrix.node }}
      - run: npm ci
      - run: npm test

  release:
    needs: [test]
    if: branch == 'main'
    runs-on: linux
    strategy:
      matrix:
        node: ['20']
    steps:
      - checkout
      - setup-node: \${{ matrix.node }}
      - run: npm publish
`;
assert.equal(before.trimEnd(), old.trimEnd());
