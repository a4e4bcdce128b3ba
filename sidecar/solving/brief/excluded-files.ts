/** Classifies files by their paths and `.gitattributes`: generated files, and scripts of the checks. */
import { posix } from 'node:path';
import { compileLenientGlob, type PathMatcher } from '../../workspace/files/glob-pattern.ts';

/** Maximum size of a source file; larger files are data. */
export const MAX_FILE_BYTES = 1024 * 1024;

const IGNORED_FOLDERS =
  /(?:^|\/)(?:node_modules|bower_components|vendor|third_party|dist|build|out|target|coverage|\.git|\.hg|\.svn|\.venv|venv|site-packages|__pycache__|\.tox|\.mypy_cache|\.pytest_cache|\.next|\.nuxt|\.cache|\.idea|\.vscode|__snapshots__|Pods|\.gradle|\.terraform)\//;
const IGNORED_FILES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|flake\.lock)$/;
const IGNORED_EXTENSIONS =
  /(?:\.min\.(?:js|css|mjs)|\.(?:map|snap|lock|pb\.go|g\.dart|designer\.cs|png|jpe?g|gif|webp|ico|svg|pdf|zip|t?gz|bz2|xz|7z|jar|war|class|so|dll|dylib|a|o|exe|bin|wasm|woff2?|ttf|otf|eot|mp[34]|mov|avi|wav|ogg|sqlite3?|db|pyc|parquet|npy|pt|gguf))$|_pb2(?:_grpc)?\.pyi?$/i;

/** Returns whether the brief ignores a path: a lock file, a file in a folder of generated files, or a file without text. */
export const isExcludedFile = (path: string): boolean =>
  IGNORED_FOLDERS.test(path) || IGNORED_FILES.test(path) || IGNORED_EXTENSIONS.test(path);

const CHECK_NAME = /(?:^|[._-])(?:checks?|verify|tests?|specs?|asserts?)(?=[._-]|$)/i;

/** Returns whether a path is a script of the checks by its name, since a check may also run the program itself, which a task may change. */
export const isCheckScript = (path: string, commands: readonly string[]): boolean =>
  CHECK_NAME.test(posix.basename(path)) && commands.some((command) => command.includes(path));

/** Returns a function that reports whether `.gitattributes` marks a path, or a folder above it, as generated or vendored. */
export function readGeneratedRules(attributes: string): PathMatcher {
  const patterns = attributes
    .slice(0, 100_000)
    .split('\n')
    .slice(0, 500)
    .flatMap((line) => {
      const [pattern = '', ...marks] = line.trim().split(/\s+/);
      const isGenerated = marks.some((mark) => /^linguist-(?:generated|vendored)(?:=true)?$/.test(mark));
      return isGenerated && !pattern.startsWith('!') && pattern.length < 200
        ? [pattern.replace(/\/$/, '')]
        : [];
    });
  // A pattern without a slash matches a name in any folder.
  const matchers = patterns
    .map((pattern) => (pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`))
    .flatMap((pattern) => [compileLenientGlob(pattern), compileLenientGlob(`${pattern}/**`)]);
  return (path) => matchers.some((matches) => matches(path));
}
