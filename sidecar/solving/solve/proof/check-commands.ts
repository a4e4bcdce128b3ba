/**
 * Follows the commands of the checks through package scripts, makefiles and shell scripts of the base. Collects the files, programs and
 * test runners that they start. Names are looked for in all folders. No command is run. Pure.
 */
import { posix } from 'node:path';
import { runnerOf } from '../../brief/runners.ts';
import { parseShellCommands, UNKNOWN_VALUE } from './shell-commands.ts';
import type { BaseFiles } from './base-files.ts';
import { extractPackageScripts, recipesOf } from './recipes.ts';

const MAX_TEXTS = 2_000;
/** Matches programs that run the file that the next word names. */
const SHELL_PROGRAM = /^(?:(?:ba|z|da|k)?sh|\.|source)$/;
const INTERPRETER = /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|Rscript)$/;
/** Matches options whose value is a file that the program loads. */
const LOAD_OPTION =
  /^(?:-[cprfP]|--?(?:config|project|file|require|import|loader|experimental-loader|preload|env-file|env-file-if-exists|setup\w*|global\w*|spec|tsconfig|makefile|rcfile|init-file|conf|settings|plugin|resolver|transform|reporters?|pattern|ini))$/;
/** Sources of the programs that `cargo run` and `go run` build. */
const listBuildSources = (name: string): string[] => [
  `src/bin/${name}.rs`,
  `src/bin/${name}/main.rs`,
  `examples/${name}.rs`,
  `${name}/main.go`,
];
const INCLUDE = /^[-s]?include[ \t]+([^#\n]{1,400})/gm;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile', 'justfile', 'Justfile'];

interface CommandPart {
  word: string;
  /** Whether the command loads the files as an option's value, runs them, runs the word as a text, or passes it as an argument. */
  role: 'loaded' | 'program' | 'text' | 'argument';
  /** Files of the base that the word names. */
  files: readonly string[];
}

/** Follows the commands of the checks and collects everything that they start. */
export class CheckCommands {
  /** Files of the base that are run or read for the checks. */
  readonly roots = new Set<string>();
  /** Globs that select tests. */
  readonly globs = new Set<string>();
  /** Texts of the scripts that the commands run. */
  readonly scripts: string[] = [];
  /** Names of manifests that the commands need and the base lacks. */
  readonly missingManifests = new Set<string>();
  /** Names of programs and of Python modules. */
  readonly programs = new Set<string>();
  /** Test runners, one entry for each command that starts one. */
  readonly runners: string[] = [];
  readonly #base: BaseFiles;
  readonly #followedTexts = new Set<string>();

  constructor(commands: readonly string[], base: BaseFiles) {
    this.#base = base;
    for (const text of commands) this.#followText(text, false);
  }

  /** Follows the commands of a text. Examines every word, so that programs that start other programs need no entry here. */
  #followText(text: string, isScript = true): void {
    if (this.#followedTexts.has(text) || this.#followedTexts.size >= MAX_TEXTS) return;
    this.#followedTexts.add(text);
    if (isScript) this.scripts.push(text);
    const commands = parseShellCommands(text).map((command) => ({
      ...command,
      parts: this.#partsOf(command.words),
    }));
    // A program or a function whose output is examined is the subject of the check; data files beside it are the expected output.
    const examined = commands.filter(({ isCaptured }) => isCaptured);
    const subjects = examined.flatMap(({ parts }) => parts.filter(({ role }) => role === 'program'));
    const isSubject = (path: string): boolean =>
      subjects.some(({ files }) => files.includes(path)) ||
      examined.some(({ words }) => this.#base.text(path).includes(`${words[0]}()`));
    for (const { words, parts, isCaptured } of commands) {
      // The `test` builtin of the shell loads nothing.
      if (/^(?:test|\[\[?)$/.test(words[0] ?? '')) continue;
      const runner = runnerOf(words);
      if (runner !== undefined) this.runners.push(runner);
      let isData = subjects.length > 0;
      for (const { word, role, files } of parts) {
        if (role === 'text') this.#followText(word);
        else if (runner !== undefined && (role !== 'loaded' || word.includes('*')))
          this.#addTests(word, files);
        else if (role === 'loaded') this.#addRoots(files);
        else if (role === 'argument')
          this.#addRoots(files.filter((path) => isData && !this.#base.isSource(path)));
        else {
          for (const path of files) if (!isSubject(path)) this.#run(path, words);
          isData ||= !isCaptured && files.length > 0;
        }
      }
      if (words.some((word) => /^(?:npm|yarn|pnpm|bun)$/.test(word)))
        this.#followNamed(['package.json'], words, extractPackageScripts);
      const makefiles = words.filter((word) => /\.mk$|file$/i.test(word));
      if (words.some((word) => /^(?:g?make|just)$/.test(word)))
        this.#followNamed([...MAKEFILES, ...makefiles], words, recipesOf);
    }
  }

  #addRoots(paths: readonly string[]): void {
    for (const path of paths) this.roots.add(path);
  }

  /** Returns the words of a command without its options; an option's value remains if it names a loaded file. */
  #partsOf(words: readonly string[]): CommandPart[] {
    let by = '';
    return words.flatMap((word, at): CommandPart[] => {
      const [, option, own] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
      const flag = option ?? words[at - 1] ?? '';
      if (option !== undefined && (own === undefined || !LOAD_OPTION.test(option))) return [];
      if (SHELL_PROGRAM.test(by) && /^-\w*c$/.test(flag)) return [{ word, role: 'text', files: [] }];
      const value = own ?? word;
      const module = value.replaceAll('.', '/');
      if (LOAD_OPTION.test(flag))
        return [{ word, role: 'loaded', files: this.#findFiles([value, `${module}.py`]) }];
      const starter = by;
      by = posix.basename(word);
      if (starter === '' || flag === '-m') this.programs.add(by);
      if (starter === 'run')
        return [{ word, role: 'program', files: this.#findFiles(listBuildSources(word)) }];
      const files = this.#findFiles(flag === '-m' ? [`${module}.py`, `${module}/__main__.py`] : [word]);
      const isRun =
        starter === '' ? /[/\0]/.test(word) : SHELL_PROGRAM.test(starter) || INTERPRETER.test(starter);
      if (starter === '' && !isRun) return [];
      return [{ word, role: isRun ? 'program' : 'argument', files }];
    });
  }

  /** Records a program that is run for its exit code as a part of the checks. If it uses no other file, it is their subject instead. */
  #run(path: string, words: readonly string[]): void {
    const text = this.#base.text(path);
    const isShell =
      /\.(?:ba)?sh$/.test(path) || /^#!.*\b(?:ba|z|da|k)?sh\b/.test(text) || !this.#base.isSource(path);
    if (isShell || /\.(?:rs|go)$/.test(path) || this.#base.linksOf(path).uses.length > 0)
      this.roots.add(path);
    const stops = words.some((word) => /^-\w*e\w*$/.test(word)) ? 'set -e\n' : '';
    if (isShell) this.#followText(stops + text);
  }

  /** Adds the tests that are passed to a runner, by path, folder or glob. */
  #addTests(word: string, files: readonly string[]): void {
    this.#addRoots(files);
    const glob = word.includes('*') ? word : `${word}/**/*.{js,mjs,cjs,ts,mts,cts,t,bats}`;
    if (/\w/.test(word)) this.globs.add(`**/${posix.normalize(glob)}`);
  }

  /** Follows the scripts or recipes that `words` name in files called one of `names`. */
  #followNamed(
    names: readonly string[],
    words: readonly string[],
    read: (text: string, words: readonly string[]) => string,
  ): void {
    const paths = this.#findFiles(names).filter((path) => !this.#base.isSource(path));
    if (paths.length === 0) for (const name of names) this.missingManifests.add(name);
    this.#addRoots(paths);
    for (const path of paths) {
      const text = this.#base.text(path).replaceAll(INCLUDE, (_line, included: string) => {
        const files = this.#findFiles(included.split(/\s+/).map((name) => name.replace(/^.*\)\/?/, '')));
        this.#addRoots(files);
        return files.map((one) => this.#base.text(one)).join('\n');
      });
      this.scripts.push(text);
      this.#followText(`set -e\n${read(text, words)}`);
    }
  }

  /** Returns the files of the base that `words` name, in any folder. Only the end of a name may be known. */
  #findFiles(words: readonly string[]): string[] {
    return words.flatMap((word) => {
      const known = word.slice(word.lastIndexOf(UNKNOWN_VALUE) + 1);
      return word.startsWith('/') || !/\w/.test(known) ? [] : this.#base.findAnywhere(known);
    });
  }
}
