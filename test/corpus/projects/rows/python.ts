/** Source packages of PyPI that ship their tests, and projects of Django, uv, Poetry and tox. */
import { fromPyPI, venv, type Project } from '../project.ts';

type Row = Pick<Project, 'name' | 'broken'> & Partial<Project>;

const python = (row: Row): Project => ({
  kind: 'pytest',
  needs: ['python3'],
  fetch: ':',
  prepare: venv('-e', '.', 'pytest==8.4.2'),
  check: '.venv/bin/python -m pytest -q',
  ...row,
});

export const pythonProjects: readonly Project[] = [
  python({
    name: 'itsdangerous',
    fetch: fromPyPI('itsdangerous', '2.2.0'),
    prepare: venv('-e', '.', 'pytest==8.4.2', 'freezegun==1.5.5'),
    broken: {
      file: 'src/itsdangerous/encoding.py',
      right: 'urlsafe_b64encode(string).rstrip(b"=")',
      base: 'urlsafe_b64encode(string)',
      wrong: 'urlsafe_b64encode(string).lstrip(b"=")',
    },
  }),
  python({
    name: 'xmltodict',
    kind: 'unittest',
    fetch: fromPyPI('xmltodict', '0.14.2'),
    prepare: venv('-e', '.'),
    check: '.venv/bin/python -m unittest discover tests',
    broken: {
      file: 'xmltodict.py',
      right: 'item[key] = [value, data]',
      base: 'item[key] = [data, value]',
      wrong: 'item[key] = [value]',
    },
  }),
];
