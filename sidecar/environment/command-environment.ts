/**
 * The environment that commands get: the worker's own without its secrets,
 * its settings and what would lead a program back to the operator's session. Home and temporary folder are the
 * task's scratch folders.
 */
import { join } from 'node:path';

/** Names that say secret, as a whole word of the name; `MONKEY` and `KEYBOARD_LAYOUT` are none. */
const SECRET_NAME =
  /(^|_)(API_?KEYS?|\w*KEY|\w*TOKENS?|\w*SECRETS?|\w*PASSWORDS?|\w*PASSWD|PASS|\w*PASSPHRASE|\w*CREDENTIALS?\w*|PAT|AUTH|COOKIE)$/i;
const SECRET_PART =
  /_?CREDENTIAL|(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE)(_|$)|(^|_)(ACCESS|API|AUTH)_?KEY/i;
/** The worker's own settings (headers for its collector among them), and the runtime options of its process. */
const OWN_SETTING =
  /^(SIDECAR|OLLAMA|JEST|OTEL)_|^NODE_(OPTIONS|CHANNEL_FD|CHANNEL_SERIALIZATION_MODE|UNIQUE_ID|V8_COVERAGE)$|^npm_/i;
/** Ways into the operator's session or into the start of every program. */
const SESSION =
  /^(SSH_|GPG_|DBUS_|XDG_|WAYLAND_|X?DISPLAY|XAUTHORITY|SUDO_|GIT_|KUBECONFIG|DOCKER_|LD_|DYLD_|BASH_ENV$|ENV$|PROMPT_COMMAND$|BASH_FUNC_|PGPASSFILE$|NETRC$|OLDPWD$|PWD$|SHLVL$|_$|MAIL$|NOTIFY_SOCKET$|LISTEN_)/;
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
/** Git's own settings that only help: where it finds certificates. */
const KEPT = new Set(['GIT_SSL_CAINFO', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT']);

/** Whether a variable must not reach a command. */
export function isWithheld(name: string, value: string): boolean {
  if (KEPT.has(name)) return false;
  if (OWN_SETTING.test(name) || SESSION.test(name)) return true;
  return SECRET_NAME.test(name) || SECRET_PART.test(name) || URL_WITH_PASSWORD.test(value);
}

export interface CommandEnvironmentOptions {
  /** The worker's environment. */
  from: NodeJS.ProcessEnv;
  /** The task's scratch folders, as commands see them. */
  home: string;
  temporary: string;
  /** The operator's real home folder, for toolchains that look for themselves below HOME. */
  operatorHome: string;
  /** Whether a path exists and commands may read it. */
  exists: (path: string) => boolean;
  /** Added last, whatever their names. */
  overrides?: Readonly<Record<string, string>>;
}

/** Where language tools keep what they installed, by the variable that tells them when HOME does not. */
const TOOLCHAIN_FOLDERS: Record<string, string> = {
  RUSTUP_HOME: '.rustup',
  PYENV_ROOT: '.pyenv',
  RBENV_ROOT: '.rbenv',
  NVM_DIR: '.nvm',
  VOLTA_HOME: '.volta',
  SDKMAN_DIR: '.sdkman',
  ASDF_DATA_DIR: '.asdf',
};

/** A model reads `git diff` as a person does: names in their own letters, not as octal numbers. */
const PLAIN_PATHS = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.quotePath',
  GIT_CONFIG_VALUE_0: 'false',
};

/** The variables for a command; pure but for `exists`. */
export function buildCommandEnvironment(options: CommandEnvironmentOptions): Record<string, string> {
  const { from, home, temporary, operatorHome, exists, overrides } = options;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && !isWithheld(name, value)) kept[name] = value;
  }
  for (const [name, folder] of Object.entries(TOOLCHAIN_FOLDERS)) {
    const path = join(operatorHome, folder);
    if (kept[name] === undefined && exists(path)) kept[name] = path;
  }
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...kept,
    HOME: home,
    TMPDIR: temporary,
    // Nobody is there to answer a prompt or to leave a pager.
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    ...(kept.GIT_CONFIG_COUNT === undefined ? PLAIN_PATHS : {}),
    ...overrides,
  };
}
