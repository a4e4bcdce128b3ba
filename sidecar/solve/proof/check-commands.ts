/**
 * What the commands of the checks start, followed through scripts of packages, makefiles and shell scripts as the base has
 * them: files that they name, programs, test runners. Read, never run. Pure.
 */
import { posix } from 'node:path';
import { isCode } from '../../brief/left-out.ts';
import { runnerOf } from '../../brief/runners.ts';
import { isRecord, parseJson } from '../../values/json.ts';
import { shellCommands, UNKNOWN, type ShellCommand } from '../../values/shell-commands.ts';

/** The files of the base, as far as they can be read. */
export interface BaseFiles {
  paths: ReadonlySet<string>;
  read: (path: string) => string | undefined;
  /** Whether a source uses other files of the base. */
  usesOthers: (path: string) => boolean;
}

export interface StartedByChecks {
  /** Files of the base that are run or read for the checks. */
  roots: Set<string>;
  /** Globs that select tests, each with the folder that it is for. */
  patterns: { folder: string; glob: string }[];
  /** Paths that the commands name and the base does not have: the task is to make them. */
  made: Set<string>;
  /** Paths that scripts load if they are there, and that the base does not have. */
  optional: Set<string>;
  programs: Set<string>;
  /** Test runners, once for each command that starts one. */
  runners: string[];
}

interface Place {
  folder: string;
  /** The script that the command stands in; undefined for the checks' own commands. */
  script?: string;
}

const MAX_TEXTS = 2_000;

export function followChecks(commands: readonly string[], base: BaseFiles): StartedByChecks {
  const follower = new Follower(base);
  for (const text of commands) follower.follow(text, { folder: '.' });
  return follower.found;
}

/** Programs that only look at files: what these hold is what is checked. */
const READERS = new Set(
  'cat grep egrep rg head tail wc test [ [[ ls find stat sed awk echo printf rm cp mv mkdir touch chmod git sort uniq cut tr jq xargs cd tee ln file true false exit set export'.split(
    ' ',
  ),
);
const INTERPRETERS =
  /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|Rscript|sh|bash|zsh|dash|ksh)$/;
/** Programs that start the one behind them. */
const WRAPPERS =
  /^(?:npx|pnpx|bunx|nyc|c8|cross-env|dotenv|xvfb-run|timeout|poetry|pipenv|uv|hatch|bundle|pdm|rye|coverage|stdbuf|unbuffer)$/;
/** Options whose value is a file that is loaded. */
const LOADS =
  /^(?:-[cprfP]|--?(?:config|project|file|require|import|loader|experimental-loader|preload|env-file|env-file-if-exists|setup\w*|global\w*|spec|tsconfig|makefile|rcfile|init-file|conf|settings|plugin|resolver|transform|reporters?|pattern|ini))$/;
const PACKAGE_MANAGERS = /^(?:npm|yarn|pnpm|bun)$/;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

class Follower {
  readonly found: StartedByChecks = {
    roots: new Set(),
    patterns: [],
    made: new Set(),
    optional: new Set(),
    programs: new Set(),
    runners: [],
  };
  readonly #base: BaseFiles;
  readonly #seen = new Set<string>();

  constructor(base: BaseFiles) {
    this.#base = base;
  }

  follow(text: string, place: Place): void {
    const key = JSON.stringify([text, place]);
    if (this.#seen.has(key) || this.#seen.size >= MAX_TEXTS) return;
    this.#seen.add(key);
    let { folder } = place;
    for (const { words, isCaptured } of shellCommands(text)) {
      const [program, to = ''] = words;
      if (program === 'cd') folder = to.includes(UNKNOWN) ? folderOf(place.script) : posix.join(folder, to);
      else this.#start({ words, isCaptured }, { ...place, folder });
    }
  }

  #start({ words, isCaptured }: ShellCommand, place: Place): void {
    const [first = '', ...args] = words;
    const program = posix.basename(first);
    this.found.programs.add(program);
    if (WRAPPERS.test(program)) {
      const at = args.findIndex((word) => !/^(?:-|\d|run$|exec$|\w+=)/.test(word));
      if (at >= 0) this.#start({ words: args.slice(at), isCaptured }, place);
      return;
    }
    const runner = runnerOf(words);
    if (runner !== undefined) this.found.runners.push(runner);
    if (program === '.' || program === 'source') this.#script(args[0] ?? '', place, true);
    else if (/^(?:test|\[|\[\[)$/.test(program)) this.#ask(args, place);
    else if (PACKAGE_MANAGERS.test(program)) this.#package(args, place);
    else if (/^g?make$/.test(program)) this.#make(args, place);
    else if (INTERPRETERS.test(program))
      this.#interpret(args, { place, isCaptured, isRunner: runner !== undefined });
    else if (first.includes('/') || first.includes(UNKNOWN)) this.#script(first, place, !isCaptured);
    if (program === 'cargo' || program === 'go') this.#build(program, args, { place, isCaptured });
    const isScripted = INTERPRETERS.test(program) && runner === undefined;
    const given = isScripted ? args.filter((word) => word !== scriptAmong(args)) : args;
    // What a program is given whose output is looked at is what they check.
    const isChecked = READERS.has(program) || (isCaptured && runner === undefined);
    if (!isChecked) this.#arguments(given, { place, isRunner: runner !== undefined });
  }

  /** Files that options load, data that a program is given, and tests that a runner is given. */
  #arguments(args: readonly string[], { place, isRunner }: { place: Place; isRunner: boolean }): void {
    const start = (value(args, /^(?:-s|--start-directory|--rootDir|--root|--dir)$/) ?? '').replace(
      UNKNOWN,
      '',
    );
    for (const [at, word] of args.entries()) {
      const [, option = '', given] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
      const loaded = LOADS.test(option) ? (given ?? args[at + 1] ?? '') : undefined;
      for (const path of this.#resolve(loaded ?? '', place, [
        '',
        '.js',
        '.cjs',
        '.mjs',
        '.ts',
        '/index.js',
        '/tsconfig.json',
      ]))
        this.found.roots.add(path);
      const glob = loaded ?? (option === '' ? word : '');
      if (isRunner && glob.includes('*'))
        this.found.patterns.push({ folder: posix.join(place.folder, start), glob });
      if (option !== '' || word.includes('*')) continue;
      for (const path of this.#resolve(word.replace(/::.*$/s, ''), place)) {
        if (isRunner || !isCode(path)) this.found.roots.add(path);
      }
      if (isRunner && this.#isFolder(word, place))
        this.found.patterns.push({
          folder: posix.join(place.folder, word),
          glob: '**/*.{js,mjs,cjs,ts,mts,cts,t,bats}',
        });
      if (place.script === undefined) this.found.made.add(posix.join(place.folder, word));
    }
  }

  #isFolder(word: string, { folder }: Place): boolean {
    const path = `${posix.join(folder, word).replace(/\/$/, '')}/`;
    return path !== './' && [...this.#base.paths].some((file) => file.startsWith(path));
  }

  /** A script that asks whether a file is there does something else if the task makes one. */
  #ask(args: readonly string[], place: Place): void {
    const at = args.findIndex((word) => /^-[efxrsdL]$/.test(word));
    const asked = args[at + 1];
    if (at < 0 || asked === undefined) return;
    if (place.script === undefined) this.found.made.add(posix.join(place.folder, asked));
    else if (this.#resolve(asked, place).length === 0)
      this.found.optional.add(posix.join(place.folder, asked));
  }

  #interpret(
    args: readonly string[],
    { place, isCaptured, isRunner }: { place: Place; isCaptured: boolean; isRunner: boolean },
  ): void {
    const code = value(args, /^-(?:e|c|p|-eval|-print)$/);
    const module = value(args, /^-m$/);
    if (code !== undefined) return this.follow(code, place);
    if (module !== undefined) {
      const path = module.replaceAll('.', '/');
      for (const file of [`${path}.py`, `${path}/__main__.py`]) this.#script(file, place, !isCaptured);
      return;
    }
    const script = scriptAmong(args);
    if (script !== undefined && !isRunner) this.#script(script, place, !isCaptured);
  }

  /** A script that is run for how it ends is a part of the checks; one whose output is looked at is what they check. */
  #script(word: string, place: Place, isCheck: boolean): void {
    const paths = this.#resolve(word, place);
    if (paths.length === 0) {
      const path = posix.join(place.folder, word.replaceAll(UNKNOWN, '.'));
      (place.script === undefined ? this.found.made : this.found.optional).add(path);
      if (place.script !== undefined && !isSourced(word)) this.found.optional.delete(path);
    }
    for (const path of isCheck ? paths : []) {
      const text = this.#base.read(path) ?? '';
      if (isShell(path, text)) {
        this.found.roots.add(path);
        this.follow(text, { folder: place.folder, script: path });
      } else if (this.#base.usesOthers(path)) this.found.roots.add(path);
    }
  }

  #build(
    program: string,
    args: readonly string[],
    { place, isCaptured }: { place: Place; isCaptured: boolean },
  ): void {
    if (isCaptured || args[0] !== 'run') return;
    const name = value(args, /^--(?:bin|example)$/) ?? '';
    const target = program === 'go' ? (args.slice(1).find((word) => !word.startsWith('-')) ?? '') : '';
    const wanted =
      name === '' ? [] : [`src/bin/${name}.rs`, `src/bin/${name}/main.rs`, `examples/${name}.rs`];
    for (const path of [...wanted, ...(target === '' ? [] : [target, posix.join(target, 'main.go')])])
      for (const file of this.#resolve(path, place)) this.found.roots.add(file);
  }

  #package(args: readonly string[], place: Place): void {
    const folders = this.#packageFolders(args, place.folder);
    const names = args.filter(
      (word) => !word.startsWith('-') && !/^(?:run|run-script|workspace|exec)$/.test(word),
    );
    const wanted = names.flatMap((name) => (name === 't' ? ['test'] : [name]));
    for (const folder of folders) {
      const path = posix.join(folder, 'package.json');
      if (!this.#base.paths.has(path)) this.found.made.add(path);
      const manifest = parseJson(this.#base.read(path) ?? '');
      const scripts = isRecord(manifest) && isRecord(manifest.scripts) ? manifest.scripts : {};
      for (const name of wanted.flatMap((one) => [`pre${one}`, one, `post${one}`])) {
        const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
        if (typeof text === 'string') this.follow(text, { folder, script: path });
      }
    }
    const [verb, ...rest] = args.filter((word) => word !== '--');
    if (verb === 'exec' && rest.length > 0) this.#start({ words: rest, isCaptured: false }, place);
  }

  #packageFolders(args: readonly string[], folder: string): string[] {
    const at = value(args, /^(?:--prefix|-C|--cwd|--dir)$/);
    const named = value(args, /^(?:-w|--workspace|--filter|workspace|-F)$/);
    const own = posix.join(folder, at ?? '.');
    const isAll = args.some((word) => /^(?:-ws|--workspaces|-r|--recursive|workspaces)$/.test(word));
    if (named === undefined && !isAll) return [own];
    return [...this.#base.paths]
      .filter((path) => posix.basename(path) === 'package.json')
      .map((path) => posix.dirname(path))
      .filter(
        (path) =>
          isAll ||
          path === posix.join(own, named ?? '') ||
          this.#base.read(posix.join(path, 'package.json'))?.includes(`"${named}"`),
      );
  }

  #make(args: readonly string[], place: Place): void {
    const folder = posix.join(place.folder, value(args, /^(?:-C|--directory)$/) ?? '.');
    const given = value(args, /^(?:-f|--file|--makefile)$/);
    const names = given === undefined ? MAKEFILES : [given];
    const path = names.map((name) => posix.join(folder, name)).find((one) => this.#base.paths.has(one));
    if (path === undefined) for (const name of names) this.found.made.add(posix.join(folder, name));
    if (path === undefined) return;
    this.found.roots.add(path);
    const text = this.#included(this.#base.read(path) ?? '', { folder, script: path });
    const targets = args.filter((word, at) => !/^-|=/.test(word) && !/^-[Cfj]$/.test(args[at - 1] ?? ''));
    this.follow(recipesOf(text, targets), { folder, script: path });
  }

  #included(text: string, place: Place): string {
    return text.replaceAll(/^[-s]?include[ \t]+([^#\n]{1,400})/gm, (_line, files: string) => {
      const paths = files
        .split(/\s+/)
        .flatMap((word) => this.#resolve(word.replace(/^\$\(\w+\)\/?/, `${UNKNOWN}/`), place));
      for (const path of paths) this.found.roots.add(path);
      return paths.map((path) => this.#base.read(path) ?? '').join('\n');
    });
  }

  /** The files of the base that a word names from the folder of the command, or of its script. */
  #resolve(word: string, { folder, script }: Place, endings: readonly string[] = ['']): string[] {
    const known = word.slice(word.lastIndexOf(UNKNOWN) + 1).replace(/^\//, '');
    if (known === '' || (word.startsWith('/') && known === word.slice(1))) return [];
    const folders = [folder, folderOf(script)];
    const near = folders
      .flatMap((one) => endings.map((ending) => posix.join(one, known + ending)))
      .find((path) => this.#base.paths.has(path));
    if (near !== undefined) return [near];
    if (!word.includes(UNKNOWN)) return [];
    return [...this.#base.paths].filter((path) => path.endsWith(`/${known}`));
  }
}

const folderOf = (script: string | undefined): string => (script === undefined ? '.' : posix.dirname(script));
const isSourced = (word: string): boolean => !isCode(word) || /\.(?:sh|bash)$/.test(word);

const scriptAmong = (args: readonly string[]): string | undefined =>
  args.find((word, at) => !word.startsWith('-') && !LOADS.test(args[at - 1] ?? ''));

/** The value of the first option that a pattern names. */
function value(args: readonly string[], option: RegExp): string | undefined {
  for (const [at, word] of args.entries()) {
    const [name = '', ...given] = word.split('=');
    if (option.test(name)) return given.length > 0 ? given.join('=') : args[at + 1];
  }
  return undefined;
}

const isShell = (path: string, text: string): boolean =>
  /\.(?:sh|bash|zsh|inc|mk|bats)$/.test(path) ||
  /^#!.*\b(?:ba|z|da|k)?sh\b/.test(text) ||
  (!isCode(path) && !text.startsWith('#!'));

/** The commands of some targets and of what these need; of all where a target is not found. */
function recipesOf(makefile: string, targets: readonly string[]): string {
  const variables = new Map(
    [...makefile.matchAll(/^(?:export[ \t]+)?([\w.-]+)[ \t]*[:?+]?=[ \t]*(.*)$/gm)].map(
      ([, name = '', text = '']) => [name, text],
    ),
  );
  const filled = (text: string, depth = 0): string =>
    depth > 5
      ? text
      : text.replaceAll(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) =>
          variables.has(name) ? filled(variables.get(name) ?? '', depth + 1) : whole,
        );
  const rules = makefile
    .split(/^(?=[^\s#:=][^:=\n]*:(?!=))/m)
    .slice(1)
    .map((text) => {
      const [, names = '', needs = ''] = /^([^:]*):+([^\n=;]*)/.exec(filled(text)) ?? [];
      const commands = text
        .split('\n')
        .slice(1)
        .filter((line) => line.startsWith('\t'));
      return {
        names: names.split(/\s+/),
        needs: needs.split(/\s+/),
        commands: commands.map((line) =>
          filled(line.replace(/^\t[@+-]*/, '').replaceAll('$(CURDIR)', '.')).replaceAll('$$', '$'),
        ),
      };
    });
  const first = rules.find(({ names }) => !names.some((name) => name.startsWith('.')));
  const wanted = new Set(targets.length > 0 ? targets : (first?.names ?? []));
  for (const name of wanted)
    for (const rule of rules) if (rule.names.includes(name)) for (const need of rule.needs) wanted.add(need);
  const chosen = rules.filter(({ names }) => names.some((name) => wanted.has(name)));
  return (chosen.length > 0 ? chosen : rules).flatMap(({ commands }) => commands).join('\n');
}
