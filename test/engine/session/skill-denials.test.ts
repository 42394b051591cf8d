import { afterEach, expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { Sandbox, SandboxPolicy } from '../../../src/main/engine/ports-sandbox';
import { mergeSandbox } from '../../../src/main/engine/settings/sandbox';
import { NO_SANDBOX_VALUES } from '../../../src/main/engine/settings/sandbox-values';
import { createBashTool } from '../../../src/main/engine/tools/builtin/bash/bash';
import { err, fault } from '../../../src/shared/result';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Gives a sandbox that notes the limits of each command, and runs none. */
function notingSandbox() {
  const policies: SandboxPolicy[] = [];
  const sandbox: Sandbox = {
    availability: async () => ({ state: 'ready' }),
    open: () => ({
      enter: async ({ policy }) => {
        policies.push(policy);
        return err(fault('sandbox', 'this test runs nothing'));
      },
      close: async () => {},
    }),
  };
  return { sandbox, policies };
}

test('what a skill in use denies is kept from the commands of its agent by the sandbox too', async () => {
  const { sandbox, policies } = notingSandbox();
  const values = { ...NO_SANDBOX_VALUES, enabled: true, allowUnsandboxedCommands: false };
  const layer = { source: 'userSettings', file: '', sandbox: values } as const;
  const fields = 'description: Ships\ndisallowed-tools: Read(./secrets/**)';
  open = await openTestSession(
    [
      reply([toolUse('Bash', { command: 'echo 1', description: 'One' })]),
      reply([toolUse('Skill', { skill: 'ship' })]),
      reply([toolUse('Bash', { command: 'echo 2', description: 'Two' })]),
      reply('done'),
    ],
    {
      tools: [createBashTool()],
      files: {
        '.claude/skills/ship/SKILL.md': `---\n${fields}\n---\nShip it.\n`,
        'secrets/key.txt': 'k',
      },
      decide,
      sandbox,
      settings: { sandbox: mergeSandbox([layer], { project: '/', home: '/', configDir: '/' }, []) },
    },
  );
  await open.run('go');
  const secrets = policies.map(({ denyRead }) =>
    denyRead.filter((path) => path.includes('secrets')),
  );
  expect(secrets).toEqual([[], [expect.stringContaining('/project/secrets')]]);
});
