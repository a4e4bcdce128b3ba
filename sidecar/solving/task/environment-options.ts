/** Converts the sandbox and tool settings of the configuration to options of the environment. Pure. */
import type { Config } from '../../base/config/schema.ts';
import type { LocalExecutionEnvironmentOptions } from '../../workspace/local-environment.ts';

export function buildEnvironmentOptions({
  sandbox,
  tools,
}: Pick<Config, 'sandbox' | 'tools'>): Omit<LocalExecutionEnvironmentOptions, 'workspace'> {
  const { mode, network, read, env, ...limits } = sandbox;
  return {
    sandbox: mode,
    network,
    readOnlyPaths: read,
    passedVariables: env,
    protectedPaths: tools.protectedPaths,
    limits,
  };
}
