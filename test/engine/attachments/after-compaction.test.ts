import { expect, it } from 'vitest';
import { restoreAfterCompaction } from '../../../src/main/engine/attachments/after-compaction';
import { toolEnvironment } from '../../support/tool-environment';

it('the approved plan comes back behind a summary', async () => {
  let plan: string | null = null;
  const environment = toolEnvironment({ plan: () => plan });
  const restore = () =>
    restoreAfterCompaction(
      [],
      {
        environment,
        decide: () => ({ behavior: 'allow', reason: '', why: [], suggestions: [] }),
      },
      new AbortController().signal,
    );
  expect(await restore()).toEqual([]);
  plan = '1. Mend the roof.';
  expect(await restore()).toEqual([
    { kind: 'restored_plan', text: expect.stringContaining('1. Mend the roof.') },
  ]);
});
