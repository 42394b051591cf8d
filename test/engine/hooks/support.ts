import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookEvent, HookReport, HookSetting } from '../../../src/shared/hooks';
import type { TestSession } from '../../support/session';

/** A command hook of the user's own settings. */
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

/** The JSON objects, one a line, in a file of the project. */
export const linesOf = async (t: TestSession, name: string) =>
  (await readFile(join(t.project, name), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
/** Resolves with the report of the next hook of an event. */
export const ran = (t: TestSession, event: HookReport['event']) =>
  new Promise<HookReport>((resolve) => {
    t.session.log.listen((stamped) => {
      const { event: told } = stamped;
      if (told.type === 'hook_settled' && told.report.event === event) resolve(told.report);
    });
  });
