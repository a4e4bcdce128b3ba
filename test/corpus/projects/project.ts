/** One row of the corpus of real projects, and the ways in which the registries' own clients fetch one. */

export interface Project {
  name: string;
  /** The test runner, or what else a user would sort the project by. */
  kind: string;
  /** Programs of this machine that it needs. */
  needs: readonly string[];
  /** Fills the empty folder; runs in a shell, with network. */
  fetch: string;
  /** Files that are written over those fetched. */
  files?: Readonly<Record<string, string>>;
  /** Installs the dependencies as the project's owner would; with network, the last time. */
  prepare?: string;
  check: string;
  /** A passage of a file that stands in it once, the passage broken on purpose, and a repair that is wrong. */
  broken: { file: string; right: string; base: string; wrong: string };
  /** Why the project ends here otherwise than on the host, if it has to. */
  differs?: string;
}

/** What every project ignores that has no `.gitignore` of its own. */
export const IGNORED = `${['node_modules', 'dist', 'coverage', '.nyc_output', '.venv', '.tox', '*.egg-info', '__pycache__', '.pytest_cache', '.hypothesis', 'target', 'build', '.gradle'].join('\n')}\n`;

export const fromNpm = (template: string, more = ''): string =>
  `npm create --yes ${template} ${more}`.trimEnd();

/** The source package of PyPI. */
export const fromPyPI = (name: string, version: string): string =>
  `d=$(mktemp -d) && python3 -m pip download --quiet --no-deps --no-binary :all: --dest $d ${name}==${version} && ` +
  `tar xzf $d/*.tar.gz --strip-components 1 && rm -r $d`;

/** The source of a crate, out of Cargo's own cache. */
export const fromCrates = (name: string, version: string): string =>
  `d=$(mktemp -d) && (cd $d && cargo init --quiet --vcs none --name fetched && cargo add --quiet ${name}@=${version} && cargo fetch --quiet) && ` +
  `cp -r ~/.cargo/registry/src/*/${name}-${version}/. . && rm -rf $d .cargo-ok .cargo_vcs_info.json Cargo.toml.orig`;

/** The source of a Go module, out of Go's own cache, which is read-only. */
export const fromGoProxy = (path: string, version: string): string =>
  `cp -r "$(go mod download -json ${path}@${version} | sed -n 's/^\\t"Dir": "\\(.*\\)",$/\\1/p')/." . && chmod -R u+w .`;

/** A Python of the project's own, with these packages in it. */
export const venv = (...packages: readonly string[]): string =>
  `python3 -m venv .venv && .venv/bin/python -m pip install --quiet --disable-pip-version-check ${packages.join(' ')}`;
