import path from 'node:path';
import type { RuleBehavior, RuleSuggestion } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import { createMutex } from '../mutex';
import { readRule } from '../permissions/rules';
import type { Files } from '../ports';
import { refuse } from './json-text';
import { withListed, withoutListed } from './permission-update';

/** Longer files are left alone. State files hold the history of other programs too. */
const MAX_SETTINGS_BYTES = 32 * 1024 * 1024;

/** Changes settings files. One instance per process, so that two answers never overwrite each other. */
export interface SettingsWriter {
  /** Adds a rule to a file, comments and layout kept; does nothing when it is there already. */
  addRule(file: string, behavior: RuleBehavior, rule: string): Promise<Result<null>>;
  /** Takes a rule out of a file, comments and layout kept; does nothing when it is not there. */
  removeRule(file: string, behavior: RuleBehavior, rule: string): Promise<Result<null>>;
  /** Changes a file's text; the same text means that nothing is written. */
  change(
    file: string,
    edit: (text: string) => Result<string>,
    /** The mode of a file that is not there yet. */
    newMode?: number,
  ): Promise<Result<null>>;
}

/** Returns the file a rule with this destination goes to; null for the session, which has none. */
export function fileForDestination(
  destination: RuleSuggestion['destination'],
  places: { readonly project: string; readonly configDir: string },
): string | null {
  switch (destination) {
    case 'session':
      return null;
    case 'localSettings':
      return path.join(places.project, '.claude', 'settings.local.json');
    case 'projectSettings':
      return path.join(places.project, '.claude', 'settings.json');
    case 'userSettings':
      return path.join(places.configDir, 'settings.json');
  }
}

/** Adds an allow rule the user chose to the file it is meant for. See {@link createSettingsWriter} for many at once. */
export async function addRule(
  writer: SettingsWriter,
  places: { readonly project: string; readonly configDir: string },
  suggestion: RuleSuggestion,
): Promise<Result<null>> {
  const file = fileForDestination(suggestion.destination, places);
  if (file === null) return ok(null);
  return writer.addRule(file, 'allow', suggestion.rule);
}

/** Creates a writer. A malformed file is refused and left as it is. */
export function createSettingsWriter(files: Files): SettingsWriter {
  const { run } = createMutex();
  return {
    addRule: async (file, behavior, rule) => {
      const { problem } = readRule({ behavior, text: rule, source: 'session' });
      if (problem) return err(fault('invalid_rule', `${problem.message}.`));
      return run(() => changeFile(files, file, (text) => withListed(text, file, behavior, rule)));
    },
    removeRule: (file, behavior, rule) =>
      run(() => changeFile(files, file, (text) => withoutListed(text, file, behavior, rule))),
    change: (file, edit, newMode) => run(() => changeFile(files, file, edit, newMode)),
  };
}

/** Changes a settings file's text. A link stays a link; what is not there yet counts as empty. */
async function changeFile(
  files: Files,
  file: string,
  change: (text: string) => Result<string>,
  newMode?: number,
): Promise<Result<null>> {
  const real = await files.realPath(file);
  const target = real.ok ? real.value : file;
  const read = await files.read(target, MAX_SETTINGS_BYTES);
  if (!read.ok && read.error.code !== 'not_found')
    return err(fault(read.error.code, `The settings were not changed: ${read.error.message}`));
  const before = read.ok ? utf8(read.value) : '';
  if (before === null) return refuse(file, 'it is not UTF-8 text', 1);
  const after = change(before);
  if (!after.ok) return after;
  if (after.value === before) return ok(null);
  const written = await files.write(target, after.value, read.ok ? undefined : newMode);
  return written.ok
    ? ok(null)
    : err(fault(written.error.code, `The settings were not changed: ${written.error.message}`));
}

/** Returns a text, null for bytes that are none: a change would lose them. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
