/** What the queue promises, whatever it is stored in; run on SQLite and on PostgreSQL. */
import { testHub } from './hub-fixture.ts';
import { describeAssignment } from './queue-contract/assignment.ts';
import { describeAttempts } from './queue-contract/attempts.ts';
import { describeBudgets } from './queue-contract/budgets.ts';
import { describeEdges } from './queue-contract/edges.ts';
import type { NewDatabase, StartHub } from './queue-contract/fixture.ts';
import { describeLeases } from './queue-contract/leases.ts';
import { describeOverview } from './queue-contract/overview.ts';
import { describePeople } from './queue-contract/people.ts';
import { describeResults } from './queue-contract/results.ts';
import { describeRetention } from './queue-contract/retention.ts';
import { describeTokens } from './queue-contract/tokens.ts';
import { describeTasks } from './queue-contract/tasks.ts';
import { describeWebhooks } from './queue-contract/webhooks.ts';

export function describeQueue(newDatabase: NewDatabase): void {
  const startHub: StartHub = async (options) =>
    testHub({ database: await newDatabase(), random: () => 0, ...options });
  describeAssignment(startHub);
  describeResults(startHub);
  describeAttempts(startHub);
  describeLeases(startHub, newDatabase);
  describeTasks(startHub);
  describeRetention(startHub);
  describePeople(startHub);
  describeEdges(startHub);
  describeOverview(startHub);
  describeBudgets(startHub, newDatabase);
  describeTokens(startHub);
  describeWebhooks(startHub, newDatabase);
}
