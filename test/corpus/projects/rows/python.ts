/** Source packages of PyPI that ship their tests, and projects of Django, uv, Poetry and tox. */
import { fromPyPI, IGNORED, venv, type Project } from '../project.ts';

const python = (row: Pick<Project, 'name' | 'broken'> & Partial<Project>): Project => ({
  kind: 'pytest',
  needs: ['python3'],
  fetch: ':',
  prepare: venv('-e', '.', 'pytest==8.4.2'),
  check: '.venv/bin/python -m pytest -q',
  ...row,
});

/** A package of one module with a test for pytest, whose dependencies a tool of its own installs. */
const GREETING = {
  'greeting/__init__.py': 'def greet(name: str) -> str:\n    return f"Hello, {name}!"\n',
  'tests/test_greeting.py':
    'from greeting import greet\n\n\ndef test_greets():\n    assert greet("Ada") == "Hello, Ada!"\n\n\ndef test_ends():\n    assert greet("x").endswith("!")\n',
};
const GREETING_BROKEN = {
  file: 'greeting/__init__.py',
  right: '"Hello, {name}!"',
  base: '"Hello {name}"',
  wrong: '"Hello, {name}"',
};

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
    name: 'click',
    fetch: fromPyPI('click', '8.1.8'),
    broken: {
      file: 'src/click/parser.py',
      right: 'return first, opt[1:]',
      base: 'return opt[1:], first',
      wrong: 'return first, opt',
    },
  }),
  python({
    name: 'boltons',
    fetch: fromPyPI('boltons', '25.0.0'),
    prepare: venv('pytest==8.4.2'),
    broken: {
      file: 'boltons/strutils.py',
      right: 'newline.join(indented_lines)',
      base: 'margin.join(indented_lines)',
      wrong: '(margin + newline).join(indented_lines)',
    },
  }),
  python({
    name: 'tabulate',
    fetch: fromPyPI('tabulate', '0.9.0'),
    broken: {
      file: 'tabulate/__init__.py',
      right:
        'type(string) is inttype\n        or isinstance(string, (bytes, str))\n        and _isconvertible(inttype, string)',
      base: 'type(string) is inttype\n        or isinstance(string, (bytes, str))\n        and not _isconvertible(inttype, string)',
      wrong:
        'type(string) is inttype\n        or isinstance(string, (bytes, str))\n        and _isconvertible(float, string)',
    },
  }),
  python({
    name: 'six',
    fetch: fromPyPI('six', '1.17.0'),
    prepare: venv('pytest==8.4.2', 'setuptools==80.9.0'),
    broken: {
      file: 'six.py',
      right: 'struct.Struct(">B").pack',
      base: 'struct.Struct(">H").pack',
      wrong: 'struct.Struct(">I").pack',
    },
  }),
  python({
    name: 'toolz',
    fetch: fromPyPI('toolz', '1.0.0'),
    prepare: venv('pytest==8.4.2', 'setuptools==80.9.0'),
    check: '.venv/bin/python -m pytest -q toolz',
    broken: {
      file: 'toolz/itertoolz.py',
      right: 'itertools.islice(seq, n, None)\n\n\ndef take_nth',
      base: 'itertools.islice(seq, n + 1, None)\n\n\ndef take_nth',
      wrong: 'itertools.islice(seq, n)\n\n\ndef take_nth',
    },
  }),
  python({
    name: 'more-itertools',
    kind: 'unittest',
    fetch: fromPyPI('more-itertools', '10.7.0'),
    prepare: venv('-e', '.'),
    check: '.venv/bin/python -m unittest tests.test_recipes',
    broken: {
      file: 'more_itertools/recipes.py',
      right: 'for second in iterator:\n            return False',
      base: 'for second in iterator:\n            return True',
      wrong: 'for second in iterator:\n            return None',
    },
  }),
  python({
    name: 'pathspec',
    kind: 'unittest',
    fetch: fromPyPI('pathspec', '0.12.1'),
    prepare: venv('-e', '.'),
    check: '.venv/bin/python -m unittest',
    broken: {
      file: 'pathspec/util.py',
      right: 'norm_file = norm_file.replace(sep, posixpath.sep)',
      base: 'norm_file = norm_file.replace(sep, "")',
      wrong: 'norm_file = norm_file.replace(sep, "-")',
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
  python({
    name: 'pluggy-tox',
    kind: 'tox',
    needs: ['python3', 'tox'],
    fetch: fromPyPI('pluggy', '1.6.0'),
    files: {
      '.gitignore': IGNORED,
      'src/pluggy/_version.py': "version = __version__ = '1.6.0'\n",
      'tox.ini':
        '[tox]\nenvlist = py\n\n[testenv]\ndeps = pytest==8.4.2\nskip_install = true\nsetenv = PYTHONPATH = {toxinidir}/src\ncommands = pytest testing -q {posargs}\n',
    },
    prepare: 'tox run --notest -q',
    check: 'tox run --skip-pkg-install -q',
    broken: {
      file: 'src/pluggy/_manager.py',
      right: 'return name in self._name2plugin and self._name2plugin[name] is None',
      base: 'return name in self._name2plugin',
      wrong: 'return name not in self._name2plugin',
    },
  }),
  python({
    name: 'semver-uv',
    kind: 'uv',
    needs: ['python3', 'uv'],
    fetch: fromPyPI('semver', '3.0.4'),
    prepare: 'uv sync --quiet --python python3 --group test',
    check: 'uv run --offline --group test pytest -q',
    broken: {
      file: 'src/semver/version.py',
      right: 'return cls(self._major, self._minor + 1)',
      base: 'return cls(self._major, self._minor)',
      wrong: 'return cls(self._major, self._minor + 2)',
    },
  }),
  python({
    name: 'uv-package',
    kind: 'uv',
    needs: ['python3', 'uv'],
    fetch: 'uv init --quiet --lib --name greeting --vcs none --python python3 .',
    files: {
      'src/greeting/__init__.py': GREETING['greeting/__init__.py'],
      'tests/test_greeting.py': GREETING['tests/test_greeting.py'],
    },
    prepare: 'uv add --quiet --dev pytest==8.4.2 && uv sync --quiet',
    check: 'uv run --offline pytest -q',
    broken: { ...GREETING_BROKEN, file: 'src/greeting/__init__.py' },
  }),
  python({
    name: 'poetry-package',
    kind: 'Poetry',
    needs: ['python3', 'poetry'],
    fetch: 'poetry init --quiet --no-interaction --name greeting --python ">=3.11,<4"',
    files: { ...GREETING, 'README.md': '# Greeting\n', 'poetry.toml': '[virtualenvs]\nin-project = true\n' },
    prepare: `${venv('pytest==8.4.2')} && poetry install --quiet --only-root`,
    check: 'poetry run pytest -q',
    broken: GREETING_BROKEN,
  }),
  python({
    name: 'django-app',
    kind: 'Django',
    fetch: `${venv('django==5.2.8')} && .venv/bin/django-admin startproject site_ . && .venv/bin/python manage.py startapp shop`,
    files: {
      'shop/prices.py': 'def gross(net: int) -> int:\n    return net + net * 19 // 100\n',
      'shop/models.py':
        'from django.db import models\n\n\nclass Item(models.Model):\n    net = models.IntegerField()\n',
      'shop/tests.py':
        'from django.test import TestCase\n\nfrom .models import Item\nfrom .prices import gross\n\n\nclass PriceTest(TestCase):\n    def test_gross(self):\n        self.assertEqual(gross(Item.objects.create(net=100).net), 119)\n\n    def test_index(self):\n        self.assertEqual(self.client.get("/nowhere").status_code, 404)\n',
    },
    prepare:
      'sed -i "s/INSTALLED_APPS = \\[/INSTALLED_APPS = [\\n    \'shop\',/" site_/settings.py && .venv/bin/python manage.py makemigrations shop',
    check: '.venv/bin/python manage.py test',
    broken: { file: 'shop/prices.py', right: 'net + net * 19', base: 'net * 19', wrong: 'net - net * 19' },
  }),
];
