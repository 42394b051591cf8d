import { join } from 'node:path';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { HookSetting } from '../../../src/shared/hooks';
import type { PermissionRule } from '../../../src/shared/permission';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { ofType, type sessionsOfFile } from '../query/support';

/** The tools of these tests. */
export const tools = [createReadTool(), createEditTool(), createWriteTool()];
/** A call that writes a file. */
export const write = (file_path: string, content = 'written') =>
  toolUse('Write', { file_path, content });

/** A session whose model writes `a.txt` once and then stops; nothing is decided by the test. */
export async function writes(
  open: ReturnType<typeof sessionsOfFile>,
  hooks: readonly HookSetting[],
  more: { rules?: readonly PermissionRule[]; attended?: boolean; call?: unknown } = {},
) {
  const t = await open(
    ({ body: { messages } }) =>
      messages.length === 1 ? reply([write(join(t.project, 'a.txt'))]) : reply('Done.'),
    {
      tools,
      decide,
      settings: { hooks, rules: more.rules ?? [] },
      ...(more.attended ? { createBroker } : {}),
    },
  );
  return t;
}

/** Returns how the first call ended, and what the model read. */
export const result = (events: readonly AgentEvent[]) => {
  const [settled] = ofType(events, 'call_settled');
  const [part] = settled?.content ?? [];
  return { status: settled?.status, text: part?.type === 'text' ? part.text : '' };
};
/** A rule of the user's own settings. */
export const rule = (behavior: PermissionRule['behavior'], text: string): PermissionRule => ({
  behavior,
  text,
  source: 'userSettings',
});
