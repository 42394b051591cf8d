import type { AgentEvent, NoticeLevel } from '../../../shared/agent-event';
import { fault, ok, type Result } from '../../../shared/result';
import {
  type PermissionUpdate,
  refusalOf,
  type UpdateDestination,
  updateWords,
  withUpdate,
} from '../settings/permission-update';
import { fileForDestination, type SettingsWriter } from '../settings/write';
import type { SessionOverlay } from './overlay';

/** A settings file that can be changed for good. */
type FileDestination = Exclude<UpdateDestination, 'session'>;

/**
 * Changes a settings file and lets the session go by it. Gives the file, or why nothing was written: a folder that is
 * not trusted among others.
 */
export type ChangeSettings = (
  destination: FileDestination,
  edit: (text: string, file: string) => Result<string>,
) => Promise<Result<string>>;

/** Changes a settings file of a project or of the person, and gives its path. */
export type EditSettings = (
  project: string,
  ...change: Parameters<ChangeSettings>
) => ReturnType<ChangeSettings>;

/** Changes settings files through the writer of the process. */
export const createSettingsEditor =
  (writer: SettingsWriter, configDir: string): EditSettings =>
  async (project, destination, edit) => {
    const file = fileForDestination(destination, { project, configDir });
    if (file === null) return ok('');
    const written = await writer.change(file, (text) => edit(text, file));
    return written.ok ? ok(file) : written;
  };

/** Why nothing is written into a folder that nobody trusts: what stands there would not count. */
export const UNTRUSTED = fault(
  'untrusted',
  'This folder is not trusted, so nothing was written into it.',
  'Trust the folder first.',
);

export interface PermissionUpdatesOptions {
  readonly project: string;
  readonly overlay: Pick<SessionOverlay, 'take'>;
  readonly changeSettings: ChangeSettings;
  readonly record: (event: AgentEvent) => unknown;
}

/** Carries out changes of permissions that hooks ask for, one after another, and says what was done. */
export function createPermissionUpdates(options: PermissionUpdatesOptions) {
  const { overlay, changeSettings, project } = options;
  const say = (level: NoticeLevel, text: string, fix?: string) =>
    options.record({
      type: 'notice',
      level,
      code: 'hook_permissions',
      text,
      ...(fix === undefined ? {} : { fix }),
    });

  const one = async (update: PermissionUpdate): Promise<void> => {
    const refusal = refusalOf(update);
    const words = updateWords(update);
    if (refusal !== null) {
      say('warning', `A hook wanted to set ${words}. That was not done: ${refusal}.`);
      return;
    }
    const { destination } = update;
    if (destination === 'session') {
      overlay.take(update);
      say('info', `A hook set ${words}, for this session.`);
      return;
    }
    const written = await changeSettings(destination, (text, file) =>
      withUpdate(text, file, update),
    );
    if (!written.ok || update.type === 'setMode') overlay.take(update);
    if (written.ok) {
      const { value: file } = written;
      const place = file.startsWith(`${project}/`) ? file.slice(project.length + 1) : file;
      say('info', `A hook set ${words}. It was written to ${place}.`);
      return;
    }
    const { message, fix } = written.error;
    say('warning', `A hook set ${words}, for this session only. ${message}`, fix);
  };

  return async (updates: readonly PermissionUpdate[]): Promise<void> => {
    for (const update of updates) await one(update);
  };
}
