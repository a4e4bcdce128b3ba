import { EXIT } from '../../sidecar/cli/exit-codes.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { buildProgram } from '../../sidecar/cli/program.ts';
import { configKeys } from '../../sidecar/config/schema-keys.ts';

interface Service {
  image?: string;
  build?: string;
  profiles: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  secrets?: string[];
  depends_on?: Record<string, unknown>;
}
const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const KNOWN_KEYS =
  /^(image|build|profiles|restart|command|environment|volumes|networks|ports|deploy|healthcheck|secrets|security_opt|stop_grace_period|depends_on)$/u;
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
    expect(ours.map(([name]) => name)).toEqual(['hub', 'worker', 'hub-1', 'hub-2']);
    for (const [, { command = [], environment = {} }] of ours) {
      expect([command, isCommandLine(command)]).toEqual([command, true]);
      for (const variable of Object.keys(environment)) {
        expect([variable, variables.has(variable) || ALIASES.includes(variable)]).toEqual([variable, true]);
      }
    }
  });

  test('has Ollama for processor and GPU, and a profile with PostgreSQL and two hubs', () => {
    const inProfile = (profile: string) =>
      services.filter(([, { profiles }]) => profiles.includes(profile)).map(([name]) => name);
    expect(inProfile('cpu')).toEqual(['ollama-cpu', 'hub', 'worker']);
    expect(inProfile('gpu')).toEqual(['ollama-gpu', 'hub', 'worker']);
    expect(inProfile('postgres')).toEqual(['worker', 'postgres', 'hub-1', 'hub-2']);
  });
});

test('the systemd unit starts a command that exists and waits longer than the grace period', () => {
  const unit = readFileSync('config/ollama-sidecar.service', 'utf8');
  const command = /^ExecStart=\/usr\/bin\/env ollama-sidecar (.+)$/mu.exec(unit)?.[1] ?? '';
  expect(isCommandLine(command.split(' '))).toBe(true);
  expect(unit).toMatch(/^TimeoutStopSec=12min$/mu);
  expect(unit).toMatch(new RegExp(`^RestartForceExitStatus=${EXIT.restart}$`, 'mu'));
});
