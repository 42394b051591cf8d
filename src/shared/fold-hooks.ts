import type { AgentEvent } from './agent-event';
import { isNotable } from './hooks';
import { type Change, type Draft, NOTHING } from './transcript-draft';

type HookHappening = Extract<
  AgentEvent,
  { type: 'hook_started' | 'hook_backgrounded' | 'hook_settled' }
>;

/** Keeps the list of running hooks; of one that has ended only what a user may want to know becomes a row. */
export function addHook({ t, active }: Draft, event: HookHappening): Change {
  switch (event.type) {
    case 'hook_started':
      return { hooks: [...t.hooks, event.hook] };
    case 'hook_backgrounded':
      return {
        hooks: t.hooks.map((hook) =>
          hook.id === event.hookId ? { ...hook, awaited: false } : hook,
        ),
      };
    case 'hook_settled': {
      const { report } = event;
      if (isNotable(report)) active.add({ kind: 'hook', id: report.id, report });
      const hooks = t.hooks.filter((hook) => hook.id !== report.id);
      return hooks.length < t.hooks.length ? { hooks } : NOTHING;
    }
  }
}
