/**
 * Builds the environment variables of commands: an allow-list of the worker's own variables, plus those that the operator adds by name
 * (`sandbox.env`). The home and the temporary folder are scratch folders of the task.
 */
import { isAbsolute, join } from 'node:path';
import { isSecretName } from '../../base/values/secret-name.ts';

/**
 * General variables of the system and of tools. Variables such as NODE_ENV are not passed, since they describe the worker and not the
 * project.
 */
const GENERAL_VARIABLES = [
  'PATH LANG LANGUAGE TZ TERM NO_COLOR CLICOLOR CI USER LOGNAME SHELL DEBIAN_FRONTEND EDITOR VISUAL NODE_PATH',
  'PYTHONPATH PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYENV_VERSION',
  'TOKENIZERS_PARALLELISM OMP_NUM_THREADS CUDA_VISIBLE_DEVICES RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE CARGO_TERM_COLOR',
  'CARGO_BUILD_JOBS GOFLAGS GOTOOLCHAIN GOOS GOARCH GOARM GOEXPERIMENT CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS GOPROXY GOSUMDB',
  'GOPRIVATE GONOSUMDB GONOPROXY GO111MODULE GOMAXPROCS RBENV_VERSION RUBYOPT BUNDLE_JOBS',
  'CC CXX CPP AR LD AS NM STRIP RANLIB CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG MAKEFLAGS CMAKE_GENERATOR',
  'JAVA_OPTS JAVA_TOOL_OPTIONS MAVEN_OPTS GRADLE_OPTS DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO SOURCE_DATE_EPOCH',
  'GIT_PAGER GIT_TERMINAL_PROMPT PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT PIP_INDEX_URL NIX_PATH NIX_PROFILES',
  'http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY',
];
/** Variables that name files and folders which programs need to read; none of them holds credentials. */
const PATH_VARIABLES = [
  'GOROOT GOPATH GOMODCACHE JAVA_HOME JDK_HOME MAVEN_HOME GRADLE_HOME ANDROID_HOME ANDROID_SDK_ROOT DOTNET_ROOT',
  'RUSTUP_HOME PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX MAMBA_ROOT_PREFIX RBENV_ROOT NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME',
  'FNM_MULTISHELL_PATH SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR BUN_INSTALL CUDA_HOME CUDA_PATH TERMINFO',
  'PLAYWRIGHT_BROWSERS_PATH SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO',
  'NIX_SSL_CERT_FILE NODE_EXTRA_CA_CERTS',
];
/** Variables that name folders which may contain credentials. Commands get the variables, but cannot access the folders. */
const OTHER_PATH_VARIABLES = [
  'CARGO_HOME GEM_HOME GEM_PATH BUNDLE_PATH M2_HOME PNPM_HOME DENO_DIR COREPACK_HOME MIX_HOME HEX_HOME PERL5LIB LUA_PATH',
  'CPATH LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH PUPPETEER_EXECUTABLE_PATH CHROME_BIN CHROME_PATH CONDA_EXE',
];
const splitNames = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '));
const PATH_NAMES = splitNames(PATH_VARIABLES);
const ALLOWED_NAMES = new Set([
  ...splitNames(GENERAL_VARIABLES),
  ...PATH_NAMES,
  ...splitNames(OTHER_PATH_VARIABLES),
]);
const ALLOWED_PREFIX = /^LC_[A-Z]+$/;
/** A login in an address, with or without a URL scheme. */
const LOGIN_PATTERN = /:\/\/[^/\s@]{1,500}@|[^\s/:@]{1,500}:[^\s/@]{1,500}@[^\s@]/;
/** Settings inside a value: `-Dhttp.proxyPassword=x`, `--token x`. */
const SETTING_PATTERN =
  /(?:^|[\s;,'"&?])-{0,2}[DP]?([A-Za-z][\w.:-]{0,200})(?:\s*=|\s+(?!-))\s*["']?[^\s"']/gu;

/** Returns whether a value has the form of a password or another secret. */
function holdsSecret(value: string): boolean {
  return (
    LOGIN_PATTERN.test(value) ||
    [...value.matchAll(SETTING_PATTERN)].some(([, name = '']) => isSecretName(name))
  );
}

/**
 * Returns whether a variable of the worker must not be passed to commands. `allowedNames`: names that the operator allows; a name may end
 * with `*`.
 */
export function isWithheld(name: string, value: string, allowedNames: readonly string[] = []): boolean {
  if (
    allowedNames.some((allowed) =>
      allowed.endsWith('*') ? name.startsWith(allowed.slice(0, -1)) : name === allowed,
    )
  )
    return false;
  if (!ALLOWED_NAMES.has(name) && !ALLOWED_PREFIX.test(name)) return true;
  return holdsSecret(value);
}

/** Returns the absolute paths that the toolchain variables of `env` name, for the sandbox to show. */
export const listToolchainPaths = (env: NodeJS.ProcessEnv): string[] =>
  PATH_NAMES.flatMap((name) => (env[name] ?? '').split(':')).filter(
    (path) => isAbsolute(path) && path !== '/',
  );

/** Settings that make package managers report the missing network at once, instead of retrying for minutes. */
const OFFLINE_VARIABLES = {
  npm_config_offline: 'true',
  PIP_RETRIES: '0',
  UV_OFFLINE: '1',
  YARN_ENABLE_NETWORK: '0',
  COREPACK_ENABLE_NETWORK: '0',
  CARGO_NET_OFFLINE: 'true',
  GOPROXY: 'off',
  COMPOSER_DISABLE_NETWORK: '1',
};

/** Returns the variables for a command without network. They contain no proxy. */
export function buildOfflineVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  const allowed = Object.entries(variables).filter(([name]) => !/_proxy$/i.test(name));
  return { ...Object.fromEntries(allowed), ...OFFLINE_VARIABLES };
}

export interface CommandEnvironmentOptions {
  /** Environment variables of the worker's process. */
  workerVariables: NodeJS.ProcessEnv;
  /** The task's home folder, as commands see it. */
  home: string;
  /** The task's folder for temporary files, as commands see it. */
  temporary: string;
  /** The operator's real home folder, for toolchains that are installed below HOME. */
  operatorHome: string;
  /** Returns whether a path exists and commands may read it. */
  isAccessible: (path: string) => boolean;
  /** Names of further variables that the operator allows. */
  allowedNames?: readonly string[];
  /** Variables that are added last and without any check. */
  overrides?: Readonly<Record<string, string>>;
}

/** Default folders of language tools below the home folder, by the variable that names each folder. */
const TOOLCHAIN_FOLDERS: Record<string, string> = {
  RUSTUP_HOME: '.rustup',
  PYENV_ROOT: '.pyenv',
  RBENV_ROOT: '.rbenv',
  NVM_DIR: '.nvm',
  VOLTA_HOME: '.volta',
  SDKMAN_DIR: '.sdkman',
  ASDF_DATA_DIR: '.asdf',
  COREPACK_HOME: '.cache/node/corepack',
};

/** Returns the variables of a command. Pure except for `isAccessible`. */
export function buildCommandEnvironment(options: CommandEnvironmentOptions): Record<string, string> {
  const { workerVariables, home, temporary, operatorHome, isAccessible, allowedNames, overrides } = options;
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(workerVariables)) {
    if (value !== undefined && !isWithheld(name, value, allowedNames)) allowed[name] = value;
  }
  for (const [name, folder] of Object.entries(TOOLCHAIN_FOLDERS)) {
    const path = join(operatorHome, folder);
    if (allowed[name] === undefined && isAccessible(path)) allowed[name] = path;
  }
  const userBase = join(operatorHome, '.local');
  if (isAccessible(join(userBase, 'lib'))) allowed.PYTHONUSERBASE ??= userBase;
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    // Test runners that watch for changes exit if this is set.
    CI: 'true',
    ...allowed,
    HOME: home,
    TMPDIR: temporary,
    // No user can answer a prompt or quit a pager.
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    ...overrides,
  };
}
