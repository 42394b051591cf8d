import { applyEdits, modify } from 'jsonc-parser';
import { ok, type Result } from '../../../../shared/result';
import { layoutOf, readRoot } from '../json-text';

/** Returns the text of a settings file with a value of a plugin's option; undefined takes it out. Comments and layout stay. Pure. */
export const withPluginOption = (
  text: string,
  file: string,
  [id, option]: readonly [string, string],
  value: string | number | boolean | undefined,
): Result<string> => withValue(text, file, ['pluginConfigs', id, 'options', option], value);

/** Returns the text of a settings file with a plugin turned on or off; null takes it out. Comments and layout stay. Pure. */
export const withPluginSwitch = (
  text: string,
  file: string,
  id: string,
  on: boolean | null,
): Result<string> => withValue(text, file, ['enabledPlugins', id], on ?? undefined);

function withValue(
  text: string,
  file: string,
  path: string[],
  value: string | number | boolean | undefined,
): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body } = read.value;
  const edits = modify(body, path, value, { formattingOptions: layoutOf(body) });
  return ok(bom + applyEdits(body, edits));
}
