import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { createBashTool } from '../../../src/main/engine/tools/builtin/bash/bash';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { HookSetting } from '../../../src/shared/hooks';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession } from '../../support/session';
import { startTestTerminals } from '../../support/terminal-client';
import { hook, says } from '../hooks/support';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A session whose model uses a skill that runs `touch RAN` and tells what it printed. */
async function use(hooks: readonly HookSetting[], more: Partial<EffectiveSettings> = {}) {
  const terminals = await startTestTerminals();
  cleanups.push(() => terminals.stop());
  const t = await openTestSession([reply([toolUse('Skill', { skill: 'mark' })]), reply('ok')], {
    tools: [createBashTool()],
    files: {
      '.claude/skills/mark/SKILL.md':
        '---\ndescription: M\n---\nIt printed !`touch RAN && echo fine-$((40 + 2))`.\n',
    },
    decide,
    terminals: terminals.client,
    settings: {
      hooks,
      rules: [{ behavior: 'allow', text: 'Bash', source: 'userSettings' }],
      ...more,
    },
  });
  cleanups.push(() => t.close());
  const events: AgentEvent[] = [];
  for await (const { event } of t.session.submit('go')) events.push(event);
  const settled = events.find((event) => event.type === 'call_settled');
  const { ok: ran } = await t.services.files.stat(join(t.project, 'RAN'));
  return { ran, settled, told: JSON.stringify(t.api.requests[1]?.body.messages) };
}

it('puts what an allowed command prints in its place', async () => {
  const { ran, settled, told } = await use([]);
  expect(settled).toMatchObject({ tool: 'Skill', status: 'done' });
  expect(ran).toBe(true);
  expect(told).toContain('It printed fine-42');
});

it.each([
  ['exit code 2', hook('PreToolUse', 'echo never >&2; exit 2', { matcher: 'Bash' })],
  ['a condition on commands', hook('PreToolUse', 'exit 2', { if: 'Bash(touch *)' })],
  [
    'a denial',
    hook('PreToolUse', says('PreToolUse', { permissionDecision: 'deny' }), { matcher: 'Bash' }),
  ],
  [
    'a change, which cannot be made',
    hook('PreToolUse', says('PreToolUse', { updatedInput: { command: 'true' } }), {
      matcher: 'Bash',
    }),
  ],
])('asks the hooks of Bash before a command of a skill runs: %s', async (_, blocking) => {
  const { ran, settled } = await use([blocking]);
  expect(settled).toMatchObject({ tool: 'Skill', status: 'denied' });
  expect(ran).toBe(false);
});

it('asks the user where a hook of Bash wants that, whatever the rules allow', async () => {
  const asks = hook('PreToolUse', says('PreToolUse', { permissionDecision: 'ask' }), {
    matcher: 'Bash',
  });
  const { ran, settled } = await use([asks]);
  // Nobody is here to be asked.
  expect(settled).toMatchObject({ tool: 'Skill', status: 'denied' });
  expect(ran).toBe(false);
});

it('runs none where settings switch that off, and says so in its place', async () => {
  const { ran, settled, told } = await use([], { skillCommandsOff: true });
  expect(settled).toMatchObject({ tool: 'Skill', status: 'done' });
  expect(ran).toBe(false);
  expect(told).toMatch(/It printed \[A command stood here\. It was not run, as disableSkill/);
  expect(told).not.toContain('touch RAN');
});
