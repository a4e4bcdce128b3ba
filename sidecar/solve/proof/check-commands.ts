/**
 * What the commands of the checks start, followed through scripts of packages, makefiles and shell scripts as the base has
 * them: files that they name, programs, test runners. Read, never run. Pure.
 */
import { posix } from 'node:path';
import { runnerOf } from '../../brief/runners.ts';
import { isRecord, parseJson } from '../../values/json.ts';
import { shellCommands, UNKNOWN, type ShellCommand } from '../../values/shell-commands.ts';
import type { BaseFiles } from './base-files.ts';
import { matcherOf } from '../../files/glob-pattern.ts';
import { recipesOf } from './recipes.ts';

export interface StartedByChecks {
  /** Files of the base that are run or read for the checks. */
  roots: Set<string>;
  /** Globs that select tests. */
  globs: Set<string>;
  /** Texts of the scripts that the commands lead to. */
  scripts: string[];
  /** Names of manifests that the commands need and the base does not have. */
  lacking: Set<string>;
  programs: Set<string>;
  /** Test runners, once for each command that starts one. */
  runners: string[];
}

export function followChecks(commands: readonly string[], base: BaseFiles): StartedByChecks {
  const follower = new Follower(base);
  for (const text of commands) follower.follow(text, ['.']);
  return follower.found;
}

const MAX_TEXTS = 2_000;
const EXACT = [''];
const MODULES = ['', '.js', '.cjs', '.mjs', '.ts', '.json'];
const SHELL = /^(?:(?:ba|z|da|k)?sh|\.|source)$/;
const INTERPRETER = /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|Rscript)$/;
/** Options whose value is a file that is loaded. */
const LOADS =
  /^(?:-[cprfP]|--?(?:config|project|file|require|import|loader|experimental-loader|preload|env-file|env-file-if-exists|setup\w*|global\w*|spec|tsconfig|makefile|rcfile|init-file|conf|settings|plugin|resolver|transform|reporters?|pattern|ini))$/;
/** Programs that `cargo run` and `go run` build, by their name. */
const BUILT = ['src/bin/*.rs', 'src/bin/*/main.rs', 'examples/*.rs', '*/main.go'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile', 'justfile', 'Justfile'];

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

  /** A name is looked for in the folders that are given, and in all that the text names. */
  follow(text: string, from: readonly string[]): void {
    const key = JSON.stringify([text, from]);
    if (this.#seen.has(key) || this.#seen.size >= MAX_TEXTS) return;
    this.#seen.add(key);
    const commands = shellCommands(text);
    const values = commands.flatMap(({ words }) => words.map((word) => word.replace(/^--?[\w-]+=/, '')));
    const named = values.flatMap((word) => this.#foldersOf(word, from));
    const folders = [...new Set([...named, ...from])];
    // Data that is named beside a program whose output is looked at is what the output is compared with.
    const compares = commands.some(
      ({ words, isCaptured }) => isCaptured && partsOf(words).some((part) => this.#isProgram(part, folders)),
    );
    // Variables hand options on: `NODE_OPTIONS='--require ./hook.js'`.
    for (const [, , value = ''] of text.matchAll(/(?:^|[\s;&|(])\w+=(["']?)([^"'\n;&|]{1,400})\1/g))
      for (const { word, isLoaded } of partsOf(value.split(/\s+/))) if (isLoaded) this.#loads(word, folders);
    for (const command of commands)
      if (!this.#isLookedAt(command, folders, commands)) this.#start(command, folders, compares);
  }

  /** Every word is looked at, so that what wraps a program needs no name here. */
  #start({ words, isCaptured }: ShellCommand, folders: readonly string[], compares: boolean): void {
    this.found.programs.add(posix.basename(words[0] ?? ''));
    const runner = runnerOf(words);
    if (runner !== undefined) this.found.runners.push(runner);
    // The shell's own test loads nothing.
    if (/^(?:test|\[\[?)$/.test(words[0] ?? '')) return;
    if (words[0] === 'for')
      for (const path of this.#scriptsAmong(words, folders)) this.#run(path, folders, false);
    let isGiven = compares;
    for (const part of partsOf(words)) {
      const { word, by, flag, isLoaded } = part;
      if (SHELL.test(by) && /^-\w*c$/.test(flag)) this.follow(word, folders);
      else if (INTERPRETER.test(by) && /^-[ecp]$|^--(?:eval|print)$/.test(flag)) continue;
      else if (word.includes('*') && runner !== undefined)
        for (const folder of folders) this.found.globs.add(posix.join(folder, word));
      else if (isLoaded) this.#loads(word, folders);
      else if (by !== '' && runner !== undefined) this.#give(word, folders);
      else if (this.#isProgram(part, folders)) {
        for (const path of isCaptured ? [] : this.#programs(part, folders))
          this.#run(path, folders, by === 'run');
        isGiven ||= !isCaptured;
      } else if (isGiven) {
        this.#add(this.#find(word, folders, EXACT).filter((path) => !this.#base.isSource(path)));
      }
    }
    if (words.some((word) => /^(?:npm|yarn|pnpm|bun)$/.test(word))) this.#package(words, folders);
    if (words.some((word) => /^(?:g?make|just)$/.test(word))) this.#make(words, folders);
  }

  /** Whether a word is a program of the tree, or one that is built from it. */
  #isProgram(part: Part, folders: readonly string[]): boolean {
    if (part.by === '') return /[/\0]/.test(part.word);
    return part.word === 'run' || this.#programs(part, folders).length > 0;
  }

  /** The files of the base that a word starts, from what stands before it. */
  #programs({ word, by, flag }: Part, folders: readonly string[]): string[] {
    const module = word.replaceAll('.', '/');
    if (by === 'run')
      return this.#find(
        BUILT.map((name) => name.replace('*', word)),
        folders,
        EXACT,
      );
    if (flag === '-m') return this.#find([`${module}.py`, `${module}/__main__.py`], folders, EXACT);
    const paths = this.#find(word, folders);
    if (by === '' || SHELL.test(by) || INTERPRETER.test(by)) return paths;
    return word.startsWith('./') ? paths.filter((path) => this.#base.text(path).startsWith('#!')) : [];
  }

  /** A program that is run for how it ends is a part of the checks; one that uses no other file is what they check. */
  #run(path: string, folders: readonly string[], isBuilt: boolean): void {
    const text = this.#base.text(path);
    const isShell =
      /\.(?:ba)?sh$/.test(path) || /^#!.*\b(?:ba|z|da|k)?sh\b/.test(text) || !this.#base.isSource(path);
    if (isShell || isBuilt || this.#base.uses(path).length > 0) this.found.roots.add(path);
    if (!isShell) return;
    this.found.scripts.push(text);
    this.follow(text, [...folders, posix.dirname(path)]);
  }

  /** Shell scripts that patterns select: a loop runs them. */
  #scriptsAmong(words: readonly string[], folders: readonly string[]): string[] {
    const globs = words
      .filter((word) => word.includes('*'))
      .flatMap((word) => folders.map((one) => posix.join(one, word)));
    const patterns = globs.map(matcherOf);
    return [...this.#base.index.paths].filter(
      (path) => path.endsWith('.sh') && patterns.some((matches) => matches(path)),
    );
  }

  /** Tests that a runner is given: by path, or by folder. */
  #give(word: string, folders: readonly string[]): void {
    this.#add(this.#find(word.replace(/::.*$/s, ''), folders, EXACT));
    for (const folder of this.#foldersOf(word, folders))
      if (folder !== '.') this.found.globs.add(`${folder}/**/*.{js,mjs,cjs,ts,mts,cts,t,bats}`);
  }

  /** A file or a module of Python that an option names. */
  #loads(word: string, folders: readonly string[]): void {
    this.#add(this.#find([word, `${word.replaceAll('.', '/')}.py`], folders, MODULES));
  }

  #add(paths: readonly string[]): void {
    for (const path of paths) this.found.roots.add(path);
  }

  /** Whether a script sources a file only for functions whose output it looks at: these are what it checks. */
  #isLookedAt(
    { words: [by = '', word = ''] }: ShellCommand,
    folders: readonly string[],
    all: readonly ShellCommand[],
  ): boolean {
    if (!/^(?:\.|source)$/.test(by)) return false;
    const texts = this.#find(word, folders).map((path) => this.#base.text(path));
    const names = texts.flatMap((text) => [
      ...text.matchAll(/^[ \t]*(?:function[ \t]+)?([\w-]+)[ \t]*\(\)/gm),
    ]);
    const calls = all.filter(({ words }) => names.some(([, name]) => name === words[0]));
    return calls.length > 0 && calls.every(({ isCaptured }) => isCaptured);
  }

  #package(words: readonly string[], folders: readonly string[]): void {
    const isAll = words.some((word) => /^(?:-ws|--workspaces|-r|--recursive|workspaces)$/.test(word));
    const found = (this.#base.index.byName.get('package.json') ?? []).flatMap((path) => {
      const manifest = parseJson(this.#base.text(path));
      const isMeant = isAll || folders.includes(posix.dirname(path));
      return isRecord(manifest) && (isMeant || words.includes(String(manifest.name)))
        ? [{ path, manifest }]
        : [];
    });
    if (found.length === 0) this.found.lacking.add('package.json');
    const names = words.map((word) => (word === 't' ? 'test' : word));
    for (const { path, manifest } of found) {
      const scripts = new Map(isRecord(manifest.scripts) ? Object.entries(manifest.scripts) : []);
      const wanted = new Set(names.flatMap((name) => [`pre${name}`, name, `post${name}`]));
      for (const name of wanted) {
        const text = scripts.get(name);
        if (typeof text !== 'string') continue;
        // `run-s lint test`, `concurrently npm:test`: a script starts others by their names.
        for (const word of text.split(/[^\w:.-]+/)) wanted.add(word.replace(/^npm:/, ''));
        this.found.scripts.push(text);
        this.follow(text, [posix.dirname(path)]);
      }
    }
  }

  #make(words: readonly string[], folders: readonly string[]): void {
    const paths = this.#find([...MAKEFILES, ...words], folders, EXACT).filter(
      (path) => !this.#base.isSource(path),
    );
    if (paths.length === 0) for (const name of MAKEFILES) this.found.lacking.add(name);
    for (const path of paths) {
      this.found.roots.add(path);
      const near = [...folders, posix.dirname(path)];
      const text = this.#base
        .text(path)
        .replaceAll(/^[-s]?include[ \t]+([^#\n]{1,400})/gm, (_line, files: string) => {
          const names = files.split(/\s+/).map((word) => word.replace(/^\$\(\w+\)\/?/, `${UNKNOWN}/`));
          const included = this.#find(names, near, EXACT);
          for (const one of included) this.found.roots.add(one);
          return included.map((one) => this.#base.text(one)).join('\n');
        });
      this.found.scripts.push(text);
      this.follow(recipesOf(text, words), near);
    }
  }

  #foldersOf(word: string, folders: readonly string[]): string[] {
    const paths = folders.map((folder) => posix.join(folder, word).replace(/(?<=.)\/$/, ''));
    return paths.filter((path) => this.#base.index.byFolder.has(path));
  }

  /** The files of the base that words name from one of some folders; from any if only running could tell which. */
  #find(
    words: string | readonly string[],
    folders: readonly string[],
    endings?: readonly string[],
  ): string[] {
    return [words].flat().flatMap((word) => {
      const known = word.slice(word.lastIndexOf(UNKNOWN) + 1).replace(/^\//, '');
      if (known === '' || (word.startsWith('/') && known === word.slice(1))) return [];
      const near = new Set(folders.flatMap((folder) => this.#base.find(folder, known, endings) ?? []));
      if (near.size > 0 || !word.includes(UNKNOWN)) return [...near];
      return [...this.#base.index.paths].filter((path) => path.endsWith(`/${known}`));
    });
  }
}

interface Part {
  word: string;
  /** The last word before it that is no option and no value of one. */
  by: string;
  /** The word before it. */
  flag: string;
  isLoaded: boolean;
}

/** The words of a command without its options. */
function partsOf(words: readonly string[]): Part[] {
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
