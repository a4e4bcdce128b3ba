// What package-lock.json says of the packages that this project stands on: their licences, and which of them run a
// program when they are installed. Pure.

/** Licences under which packages may be a part of what is shipped. */
const SHIPPED = new Set(
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT Python-2.0 Unlicense WTFPL'.split(
    ' ',
  ),
);
/** Further ones of packages that only development uses: they ask for nothing from who uses them unchanged. */
const FOR_DEVELOPMENT = new Set('CC-BY-3.0 CC-BY-4.0 MPL-2.0'.split(' '));

/** Packages whose manifest names a licence file that is not packed: what their README says instead. */
const SAID_ELSEWHERE = new Map([
  ['@modelcontextprotocol/server-filesystem', 'MIT'],
  ['@modelcontextprotocol/server-memory', 'MIT'],
]);
const NAMES_A_FILE = /^SEE LICENSE IN /;

/** Installed packages, the project itself left out. */
export function packagesOf(lock) {
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => [path.slice(path.lastIndexOf(FOLDER) + FOLDER.length), entry])
    .map(([name, entry]) => ({
      name,
      version: entry.version,
      licence: licenceOf(name, entry),
      shipped: entry.dev !== true,
      runsScript: entry.hasInstallScript === true,
    }));
}

const FOLDER = 'node_modules/';

function licenceOf(name, { license = 'none named' }) {
  return (NAMES_A_FILE.test(license) && SAID_ELSEWHERE.get(name)) || license;
}

/** Whether an SPDX expression of names, OR, AND and one level of brackets may be used. */
export function isAllowed(expression, shipped) {
  const known = (name) => SHIPPED.has(name) || (!shipped && FOR_DEVELOPMENT.has(name));
  const choices = expression
    .replaceAll(/[()]/g, ' ')
    .trim()
    .split(/\s+OR\s+/);
  return choices.some((choice) => choice.split(/\s+AND\s+/).every((name) => known(name.trim())));
}

/** What is wrong, a sentence each. `listed`: the packages whose scripts a document explains; `decided`: what the manifest says of each. */
export function faultsOf(lock, { listed, decided }) {
  const packages = packagesOf(lock);
  const refused = packages
    .filter(({ licence, shipped }) => !isAllowed(licence, shipped))
    .map(({ name, licence }) => `${name}: its licence (${licence}) is not one of scripts/supply.mjs`);
  const withScript = [...new Set(packages.filter(({ runsScript }) => runsScript).map(({ name }) => name))];
  const unlisted = withScript
    .filter((name) => !listed.has(name))
    .map((name) => `${name} has an install script: say why in docs/dev/DEPENDENCIES.md, or do without it`);
  const undecided = withScript
    .filter((name) => typeof decided[name] !== 'boolean')
    .map((name) => `${name} has an install script: decide in allowScripts of package.json whether it runs`);
  const stale = [...listed]
    .filter((name) => !withScript.includes(name))
    .map((name) => `${name} has no install script any more: take it out of docs/dev/DEPENDENCIES.md`);
  return [...refused, ...unlisted, ...undecided, ...stale];
}

/** Packages that the section on install scripts of docs/dev/DEPENDENCIES.md has a row for. */
export function listedScripts(document) {
  const section = document.split(/^## Install scripts$/m)[1]?.split(/^## /m)[0] ?? '';
  return new Set([...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name));
}
