import type { HookEvent, HookSetting } from '../../../src/shared/hooks';

/** A command hook of the person's own settings. */
export const hook = (
  event: HookEvent,
  run: string,
  more: Partial<HookSetting> = {},
): HookSetting => ({
  event,
  matcher: '',
  type: 'command',
  run,
  source: 'userSettings',
  file: 'settings.json',
  line: 1,
  off: null,
  ...more,
});

/** A command that prints a value as JSON. */
export const prints = (value: unknown): string =>
  `printf %s '${JSON.stringify(value).replaceAll("'", "'\\''")}'`;

/** A command that prints what is meant for one event. */
export const says = (event: HookEvent, fields: object): string =>
  prints({ hookSpecificOutput: { hookEventName: event, ...fields } });

/** A command that keeps its input in a file of the project. */
export const keeps = (name: string): string => `cat >> "$CLAUDE_PROJECT_DIR/${name}"`;
