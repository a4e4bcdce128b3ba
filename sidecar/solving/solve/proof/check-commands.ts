/**
 * Follows the commands of the checks through package scripts, makefiles and shell scripts of the base. Collects the files, programs and
 * test runners that they start. No command is run. Pure.
 */
import { posix } from 'node:path';
import { runnerOf } from '../../brief/runners.ts';
import { compileLenientGlob } from '../../../workspace/files/glob-pattern.ts';
import { isRecord, parseJson } from '../../../base/values/json.ts';
import { parseShellCommands, UNKNOWN, type ShellCommand } from './shell-commands.ts';
import type { BaseFiles } from './base-files.ts';
import { recipesOf } from './recipes.ts';

export interface StartedByChecks {
  /** Files of the base that are run or read for the checks. */
  roots: Set<string>;
  /** Globs that select tests. */
  globs: Set<string>;
  /** Texts of the scripts that the commands run. */
  scripts: string[];
  /** Names of manifests that the commands need and the base lacks. */
  lacking: Set<string>;
  programs: Set<string>;
  /** Test runners, one entry for each command that starts one. */
  runners: string[];
}

/** Follows the commands of the checks and returns everything that they start. */
export function followChecks(commands: readonly string[], base: BaseFiles): StartedByChecks {
  const follower = new Follower(base);
  for (const text of commands) follower.follow(text, ['.']);
  return follower.found;
}

const MAX_TEXTS = 2_000;
const EXACT = [''];
const MODULES = ['', '.js', '.cjs', '.mjs', '.ts', '.json'];
const SHELL = /^(?:(?:ba|z|da|k)?sh|\.|source)$/;
const SOURCES = /^(?:\.|source)$/;
const INTERPRETER = /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|Rscript)$/;
/** Options whose value is a file that the program loads. */
const LOADS =
  /^(?:-[cprfP]|--?(?:config|project|file|require|import|loader|experimental-loader|preload|env-file|env-file-if-exists|setup\w*|global\w*|spec|tsconfig|makefile|rcfile|init-file|conf|settings|plugin|resolver|transform|reporters?|pattern|ini))$/;
/** Sources of the programs that `cargo run` and `go run` build; `*` stands for the program's name. */
const BUILT_SOURCES = ['src/bin/*.rs', 'src/bin/*/main.rs', 'examples/*.rs', '*/main.go'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile', 'justfile', 'Justfile'];
const ALL_PACKAGES = /^(?:-ws|--workspaces|-r|--recursive|workspaces)$/;

type Folders = readonly string[];

class Follower {
  readonly found: StartedByChecks = {
    roots: new Set(),
    globs: new Set(),
    scripts: [],
    lacking: new Set(),
    programs: new Set(),
    runners: [],
  };
  readonly #base: BaseFiles;
  readonly #seen = new Set<string>();

  constructor(base: BaseFiles) {
    this.#base = base;
  }

  /** Follows the commands of a text. Names are resolved in the given folders, and in all folders that the text names. */
  follow(text: string, from: Folders): void {
    const key = JSON.stringify([text, from]);
    if (this.#seen.has(key) || this.#seen.size >= MAX_TEXTS) return;
    this.#seen.add(key);
    const commands = parseShellCommands(text);
    const values = commands.flatMap(({ words }) => words.map((word) => word.replace(/^--?[\w-]+=/, '')));
    const folders = [...new Set([...values.flatMap((word) => this.#foldersOf(word, from)), ...from])];
    // A program whose output or effect is examined is the subject of the check; data files beside it are the expected output.
    const examined = commands.flatMap(({ words, isCaptured }) => (isCaptured ? partsOf(words) : []));
    const isCompared = examined.some((part) => this.#isProgram(part, folders));
    const dropped = commands.flatMap(({ words, isDropped }) =>
      isDropped && !SOURCES.test(words[0] ?? '') ? partsOf(words) : [],
    );
    const subjects = new Set([...examined, ...dropped].flatMap((part) => this.#programs(part, folders)));
    for (const command of commands)
      if (!this.#isExamined(command, folders, commands))
        this.#start(command, folders, { isCompared, subjects });
  }

  /** Examines every word, so that programs that start other programs need no entry here. */
  #start(
    { words, isCaptured }: ShellCommand,
    folders: Folders,
    { isCompared, subjects }: ExaminedPrograms,
  ): void {
    const [program = ''] = words;
    this.found.programs.add(posix.basename(program));
    const runner = runnerOf(words);
    if (runner !== undefined) this.found.runners.push(runner);
    // The `test` builtin of the shell loads nothing.
    if (/^(?:test|\[\[?)$/.test(program)) return;
    const globs = words
      .filter((word) => word.includes('*'))
      .flatMap((word) => folders.map((one) => posix.join(one, word)));
    if (runner !== undefined) for (const glob of globs) this.found.globs.add(glob);
    let isData = isCompared;
    for (const part of partsOf(words)) {
      const { word, by, flag, isLoaded } = part;
      if (SHELL.test(by) && /^-\w*c$/.test(flag)) this.follow(word, folders);
      else if (isLoaded) this.#add(this.#loadedBy(word, folders));
      else if (by !== '' && runner !== undefined) this.#addTests(word, folders);
      else if (this.#isProgram(part, folders)) {
        for (const path of this.#programs(part, folders))
          if (!subjects.has(path)) this.#run(path, folders, words, by === 'run');
        isData ||= !isCaptured;
      } else if (isData)
        this.#add(this.#find(word, folders, EXACT).filter((path) => !this.#base.isSource(path)));
    }
    if (words.some((word) => /^(?:npm|yarn|pnpm|bun)$/.test(word))) this.#runScripts(words, folders);
    if (words.some((word) => /^(?:g?make|just)$/.test(word))) this.#make(words, folders);
  }

  #add(paths: readonly string[]): void {
    for (const path of paths) this.found.roots.add(path);
  }

  /** Returns whether a word is a program of the tree, or a program that is built from it. */
  #isProgram(part: CommandPart, folders: Folders): boolean {
    if (part.by === '') return /[/\0]/.test(part.word);
    return part.word === 'run' || this.#programs(part, folders).length > 0;
  }

  /** Returns the files of the base that a word starts, depending on the words before it. */
  #programs({ word, by, flag }: CommandPart, folders: Folders): string[] {
    const built = BUILT_SOURCES.map((name) => name.replace('*', word));
    if (by === 'run') return this.#find(built, folders, EXACT);
    const module = word.replaceAll('.', '/');
    if (flag === '-m') return this.#find([`${module}.py`, `${module}/__main__.py`], folders, EXACT);
    const paths = this.#find(word, folders);
    if (by === '' || SHELL.test(by) || INTERPRETER.test(by)) return paths;
    return word.startsWith('./') ? paths.filter((path) => this.#base.text(path).startsWith('#!')) : [];
  }

  /** Records a program that is run for its exit code as a part of the checks. If it uses no other file, it is their subject instead. */
  #run(path: string, folders: Folders, words: readonly string[], isBuilt: boolean): void {
    const text = this.#base.text(path);
    const isShell =
      /\.(?:ba)?sh$/.test(path) || /^#!.*\b(?:ba|z|da|k)?sh\b/.test(text) || !this.#base.isSource(path);
    if (isShell || isBuilt || this.#base.uses(path).length > 0) this.found.roots.add(path);
    const stops = words.some((word) => /^-\w*e\w*$/.test(word)) ? 'set -e\n' : '';
    if (isShell) this.#followScript(stops + text, [...folders, posix.dirname(path)]);
  }

  #followScript(text: string, folders: Folders): void {
    this.found.scripts.push(text);
    this.follow(text, folders);
  }

  /** Adds the tests that are passed to a runner, by path or by folder. */
  #addTests(word: string, folders: Folders): void {
    this.#add(this.#find(word.replace(/::.*$/s, ''), folders, EXACT));
    for (const folder of this.#foldersOf(word, folders))
      if (folder !== '.') this.found.globs.add(`${folder}/**/*.{js,mjs,cjs,ts,mts,cts,t,bats}`);
  }

  /** Returns the file or the Python module that an option names. */
  #loadedBy(word: string, folders: Folders): string[] {
    return this.#find([word, `${word.replaceAll('.', '/')}.py`], folders, MODULES);
  }

  /** Returns whether a script sources a file only for functions whose output it examines. These functions are the subject of the check. */
  #isExamined({ words: [by = '', word = ''] }: ShellCommand, folders: Folders, all: ShellCommand[]): boolean {
    if (!SOURCES.test(by)) return false;
    const names = this.#find(word, folders).flatMap((path) => [
      ...this.#base.text(path).matchAll(/^[ \t]*(?:function[ \t]+)?([\w-]+)[ \t]*\(\)/gm),
    ]);
    const calls = all.filter(({ words }) => names.some(([, name]) => name === words[0]));
    return calls.length > 0 && calls.every(({ isCaptured }) => isCaptured);
  }

  /** Follows the package scripts that the words name. */
  #runScripts(words: readonly string[], folders: Folders): void {
    const isAll = words.some((word) => ALL_PACKAGES.test(word));
    const names = words.map((word) => (word === 't' ? 'test' : word));
    let hasPackage = false;
    for (const path of this.#base.index.byName.get('package.json') ?? []) {
      const manifest = parseJson(this.#base.text(path));
      const folder = posix.dirname(path);
      if (!isRecord(manifest)) continue;
      if (!isAll && !folders.includes(folder) && !words.includes(String(manifest.name))) continue;
      hasPackage = true;
      const scripts = new Map(isRecord(manifest.scripts) ? Object.entries(manifest.scripts) : []);
      const wanted = new Set(names.flatMap((name) => [`pre${name}`, name, `post${name}`]));
      for (const name of wanted) {
        const text = scripts.get(name);
        if (typeof text !== 'string') continue;
        // A script can start other scripts by name: `run-s lint test`, `concurrently npm:test`.
        for (const word of text.split(/[^\w:.-]+/)) wanted.add(word.replace(/^npm:/, ''));
        this.#followScript(text, [folder]);
      }
    }
    if (!hasPackage) this.found.lacking.add('package.json');
  }

  #make(words: readonly string[], folders: Folders): void {
    const named = this.#find([...MAKEFILES, ...words], folders, EXACT);
    const paths = named.filter((path) => !this.#base.isSource(path));
    if (paths.length === 0) for (const name of MAKEFILES) this.found.lacking.add(name);
    this.#add(paths);
    for (const path of paths) {
      const near = [...folders, posix.dirname(path)];
      const whole = this.#base
        .text(path)
        .replaceAll(/^[-s]?include[ \t]+([^#\n]{1,400})/gm, (_line, files: string) => {
          const names = files.split(/\s+/).map((word) => word.replace(/^\$\(\w+\)\/?/, `${UNKNOWN}/`));
          const included = this.#find(names, near, EXACT);
          this.#add(included);
          return included.map((one) => this.#base.text(one)).join('\n');
        });
      this.found.scripts.push(whole);
      this.follow(`set -e\n${recipesOf(whole, words)}`, near);
    }
  }

  #foldersOf(word: string, folders: Folders): string[] {
    const paths = folders.map((folder) => posix.join(folder, word).replace(/(?<=.)\/$/, ''));
    return paths.filter((path) => this.#base.index.byFolder.has(path));
  }

  /**
   * Returns the files of the base that words name in one of the folders. If part of a name is known only at run time, all folders are
   * searched.
   */
  #find(words: string | readonly string[], folders: Folders, endings?: readonly string[]): string[] {
    return [words].flat().flatMap((word) => {
      const known = word.slice(word.lastIndexOf(UNKNOWN) + 1).replace(/^\//, '');
      if (known === '' || (word.startsWith('/') && known === word.slice(1))) return [];
      // A loop's variable has all values of the loop.
      if (/^[^\s*{]*[*{][^\s]*$/.test(known)) {
        const patterns = folders.map((folder) => compileLenientGlob(posix.join(folder, known)));
        return [...this.#base.index.paths].filter((path) => patterns.some((matches) => matches(path)));
      }
      const near = new Set(folders.flatMap((folder) => this.#base.find(folder, known, endings) ?? []));
      if (near.size > 0 || !word.includes(UNKNOWN)) return [...near];
      return [...this.#base.index.paths].filter((path) => path.endsWith(`/${known}`));
    });
  }
}

interface ExaminedPrograms {
  isCompared: boolean;
  subjects: ReadonlySet<string>;
}

interface CommandPart {
  word: string;
  /** The last word before this one that is neither an option nor an option's value. */
  by: string;
  /** The previous word. */
  flag: string;
  isLoaded: boolean;
}

/** Returns the words of a command without its options; an option's value remains if it names a loaded file. */
function partsOf(words: readonly string[]): CommandPart[] {
  let by = '';
  return words.flatMap((word, at) => {
    const [, option, own] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = option ?? words[at - 1] ?? '';
    if (option !== undefined && (own === undefined || !LOADS.test(option))) return [];
    const part = { word: own ?? word, by, flag, isLoaded: LOADS.test(flag) };
    if (!part.isLoaded) by = posix.basename(word);
    return [part];
  });
}
