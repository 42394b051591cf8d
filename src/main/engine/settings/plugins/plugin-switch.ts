import { applyEdits, modify } from 'jsonc-parser';
import { ok, type Result } from '../../../../shared/result';
import { layoutOf, readRoot } from '../json-text';

/** Returns the text of a settings file with a plugin turned on or off; null takes it out. Comments and layout stay. Pure. */
export function withPluginSwitch(
  text: string,
  file: string,
  id: string,
  on: boolean | null,
): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body } = read.value;
  const formattingOptions = layoutOf(body);
  const edits = modify(body, ['enabledPlugins', id], on ?? undefined, { formattingOptions });
  return ok(bom + applyEdits(body, edits));
}
