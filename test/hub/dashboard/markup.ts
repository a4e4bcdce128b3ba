/** The dashboard of a hub that hears hostile texts. */
import { expect, test } from '@jest/globals';
import { eventTypes } from '../../../sidecar/base/protocol/events.ts';
import { describeWith } from '../../support/requirements.ts';
import { dashboards } from './page.ts';
import { openTab, partialResult, report, rows } from './tasks.ts';
import { testHub } from '../hub-fixture.ts';

describeWith('chromium', 'the dashboard', () => {
  const open = dashboards();

  test('nothing that a task or a worker says is ever markup', async () => {
    const evil = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script><svg onload=window.hit=1>javascript:window.hit=1`;
    const hub = await testHub();
    const worker = await hub.worker({
      agentId: `w-${evil}`.slice(0, 120),
      models: [evil],
      labels: [evil],
      capacity: 3,
    });
    const id = await hub.submit({
      description: `${evil}\n${evil}`,
      repo: `javascript:${evil}`,
      branch: evil,
      metadata: { [evil]: evil },
      labels: [evil],
    });
    const assigned = await worker.accept();
    const fields = {
      tool_name: evil,
      args_summary: evil,
      result_summary: `ERR: ${evil}`,
      call_id: evil,
      model: evil,
      text: evil,
      phase: 'finished',
      success: false,
    };
    for (const type of eventTypes) {
      worker.event(id, { event_type: type, iteration: 1, ...fields });
    }
    worker.say('approval_request', { task_id: id, approval_id: evil, kind: 'command', summary: evil });
    await hub.call('POST', `/api/tasks/${id}/steer`, { text: evil });
    const page = await open(hub, { taskId: id });
    await page.locator('.ask').waitFor();
    worker.say('task_complete', {
      task_id: id,
      generation: assigned.generation,
      result: {
        ...partialResult,
        output: `# ${evil}\n- [ ] ${evil}\n\`${evil}\`\n**${evil}**`,
        plan: `# ${evil}\n- [x] ${evil}`,
        model_used: evil,
        termination_reason: evil,
        verification_status: evil,
        completed: [evil],
        remaining: [evil],
        omitted: [evil],
        changes: {
          branch: evil,
          patch_omitted: evil,
          files: [{ path: evil, status: `added ${evil}`, additions: 1, deletions: 0 }],
          patch: `diff --git a/${evil} b/${evil}\n@@ -1 +1 @@\n+${evil}`,
        },
        follow_up: { description: evil, metadata: { follow_up_of: evil, follow_up_depth: 1 } },
      },
      verification_report: {
        ...report,
        checks: [{ type: evil, target: evil, description: evil, status: evil, output: evil, duration_ms: 1 }],
      },
    });
    await page.getByRole('button', { name: 'Create the follow-up task' }).waitFor();
    for (const tab of ['Plan', 'Changes', 'Checks', 'Result', 'Timeline']) {
      await openTab(page, tab);
      const folded = page.locator('main details:not([open]) > summary');
      while ((await folded.count()) > 0) await folded.first().click();
    }
    for (let index = 0; index < (await rows(page).count()); index += 1) await rows(page).nth(index).click();
    await page.getByRole('button', { name: 'Create the follow-up task' }).click();
    await page.waitForURL((url) => !url.hash.endsWith(id));
    await page.goto(`${hub.hub.url}/#/workers`);
    await page.locator('.worker').waitFor();
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
  });
});
