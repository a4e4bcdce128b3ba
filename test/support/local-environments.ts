/** The real execution environment, without a sandbox, on a temporary folder. */
import { afterEach } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import { tempFolders } from './temp-folder.ts';

/**
 * Call at the top of a describe block; the returned function makes an environment on a folder of its own, its
 * `workingDirectory`. Both are gone after the test.
 */
export function localEnvironments(): () => LocalExecutionEnvironment {
  const made: LocalExecutionEnvironment[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map((env) => env.cleanup()));
  });
  const folder = tempFolders();
  return () => {
    const env = new LocalExecutionEnvironment({ workspace: folder(), sandbox: 'off' });
    made.push(env);
    return env;
  };
}
