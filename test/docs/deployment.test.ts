import { EXIT } from '../../sidecar/cli/exit-codes.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { parse } from 'yaml';
import { isOnPath } from '../../sidecar/commands/executable.ts';
import { buildProgram } from '../../sidecar/cli/program.ts';
import { configKeys } from '../../sidecar/config/schema-keys.ts';

interface Service {
  image?: string;
  extends?: { service: string };
  build?: string;
  profiles?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  secrets?: string[];
  networks?: { default: { aliases: string[] } };
  ports?: string[];
  depends_on?: Record<string, unknown>;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets?: Record<string, unknown>;
}
const read = (path: string) =>
  parse(readFileSync(path, 'utf8'), { merge: true, logLevel: 'error' }) as Compose;
const plain = read('docker-compose.yml');
const replicated = read('docker-compose.postgres.yml');
/** As Compose puts the second file over the first. */
const compose = {
  services: { ...plain.services, ...replicated.services },
  volumes: { ...plain.volumes, ...replicated.volumes },
  secrets: { ...plain.secrets },
};
for (const [name, service] of Object.entries(replicated.services)) {
  const under = plain.services[service.extends?.service ?? name] ?? {};
  compose.services[name] = { ...under, ...service, volumes: service.volumes ?? under.volumes ?? [] };
}
const services = Object.entries(compose.services);
const KNOWN_KEYS =
  /^(extends|image|build|profiles|restart|command|environment|volumes|networks|ports|deploy|healthcheck|secrets|security_opt|stop_grace_period|depends_on)$/u;
const variables = new Set(configKeys.map(({ variable }) => variable));
const ALIASES = ['OLLAMA_HOST', 'SIDECAR_STATE_DIR', 'SIDECAR_DATA_DIR'];

/** Whether a command line of ours has only options that exist. */
function isCommandLine([name, ...words]: readonly string[]): boolean {
  const command = buildProgram().commands.find((one) => one.name() === name);
  const flags = new Set(command?.options.map(({ long }) => long));
  return (
    command !== undefined && words.filter((word) => word.startsWith('--')).every((word) => flags.has(word))
  );
}

describe('docker-compose.yml', () => {
  test.each(services)('%s has known keys, a pinned image and volumes that are declared', (_name, service) => {
    expect(Object.keys(service).filter((key) => !KNOWN_KEYS.test(key))).toEqual([]);
    expect(service.image).toMatch(/:\d+\.\d+/u);
    for (const volume of service.volumes ?? []) {
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    }
    for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret);
    for (const other of Object.keys(service.depends_on ?? {}))
      expect(compose.services).toHaveProperty([other]);
  });

  test('its commands and settings exist', () => {
    const ours = services.filter(([, { build }]) => build !== undefined);
    expect(ours.map(([name]) => name)).toEqual(['hub', 'worker', 'hub-2']);
    for (const [, { command = [], environment = {} }] of ours) {
      expect([command, isCommandLine(command)]).toEqual([command, true]);
      for (const variable of Object.keys(environment)) {
        expect([variable, variables.has(variable) || ALIASES.includes(variable)]).toEqual([variable, true]);
      }
    }
  });

  test('each profile has one Ollama and one hub, and with PostgreSQL two replicas that share its name', () => {
    const inProfile = (profile: string, { services: all }: Compose) =>
      Object.entries(all)
        .filter(([, { profiles = [] }]) => profiles.includes(profile))
        .map(([name]) => name);
    for (const profile of ['cpu', 'gpu']) {
      expect(inProfile(profile, plain)).toEqual([`ollama-${profile}`, 'hub', 'worker']);
      expect(inProfile(profile, compose)).toEqual([
        `ollama-${profile}`,
        'hub',
        'worker',
        'hub-2',
        'postgres',
      ]);
    }
    const { hub, 'hub-2': second } = compose.services;
    expect(hub?.environment).toEqual(second?.environment);
    expect(second?.networks?.default.aliases).toEqual(['hub']);
    expect(second?.ports).not.toEqual(hub?.ports);
  });
});

const units = ['ollama-sidecar.service', 'ollama-sidecar-hub.service'];
const unitText = (name: string) => readFileSync(`config/${name}`, 'utf8');

describe('the systemd units', () => {
  test.each(units)('%s starts a command that exists, with files that the page makes', (name) => {
    const command = /^ExecStart=\/usr\/bin\/env ollama-sidecar (.+)$/mu.exec(unitText(name))?.[1] ?? '';
    expect(isCommandLine(command.split(' '))).toBe(true);
    const page = readFileSync('docs/OPERATIONS.md', 'utf8');
    for (const file of command.match(/\/etc\/\S+/gu) ?? []) expect(page).toContain(` ${file}\n`);
    expect(page).toContain(`config/${name}" /etc/systemd/system/`);
  });

  test('the worker is stopped only after its grace period', () => {
    expect(unitText('ollama-sidecar.service')).toMatch(/^TimeoutStopSec=12min$/mu);
    expect(unitText('ollama-sidecar.service')).toMatch(
      new RegExp(`^RestartForceExitStatus=${EXIT.restart}$`, 'mu'),
    );
  });

  (isOnPath('systemd-analyze') ? test : test.skip)('systemd finds no fault in them', async () => {
    const paths = units.map((name) => `config/${name}`);
    const { stderr } = await execa('systemd-analyze', ['verify', ...paths], { reject: false });
    expect(stderr.split('\n').filter((line) => line.includes('ollama-sidecar'))).toEqual([]);
  });
});
