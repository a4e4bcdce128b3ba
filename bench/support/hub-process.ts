/** A hub in a process of its own, and what it uses. */
import { startHub, type HubOptions } from '../../sidecar/hub/hub.ts';
import { answerQuestions } from './child.ts';

export type HubProcessOptions = Pick<
  HubOptions,
  'database' | 'framesPerMinute' | 'dashboardDir' | 'retention'
>;
export interface HubProcessReady {
  url: string;
  wsUrl: string;
  adminToken: string;
  /** For a worker of any name. */
  workerToken: string;
}
export interface HubUsage {
  /** Of this process since its start. */
  cpuMs: number;
  rssBytes: number;
  peakRssBytes: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as HubProcessOptions;
const hub = await startHub(options);
const ready: HubProcessReady = {
  url: hub.url,
  wsUrl: hub.wsUrl,
  adminToken: hub.tokens.admin,
  workerToken: await hub.issueToken('worker'),
};
answerQuestions(
  ready,
  async (): Promise<HubUsage> => {
    const { user, system } = process.cpuUsage();
    const { maxRSS } = process.resourceUsage();
    return {
      cpuMs: (user + system) / 1000,
      rssBytes: process.memoryUsage.rss(),
      // Kilobytes on every system that Node runs on.
      peakRssBytes: maxRSS * 1024,
    };
  },
  () => hub.close(),
);
