import { err, fault, ok, type Result } from '../../../../shared/result';
import { textIn, USER_KEY, WITH_NAMES } from '../registry';

/** Adds the command `lathe` to the folders of commands, or takes it out. */
export type PathAct = 'add' | 'remove';

/**
 * Returns the file that makes Windows's registry add `folder` to the user's `PATH`, or take it out. `exported` is what the
 * registry writes of {@link USER_KEY}. Null when nothing is to be done. Every other folder, and the kind of the value,
 * stays as it is. Pure.
 */
export function changedRegistry(
  exported: string,
  folder: string,
  act: PathAct,
): Result<string | null> {
  const found = textIn(exported, USER_KEY, 'Path') ?? { text: '', kind: WITH_NAMES };
  if (found === 'other')
    return err(
      fault(
        'not_text',
        `${USER_KEY}\\Path is no text, so it was left as it is.`,
        `Add ${folder} to it in the system's settings, under "Environment variables".`,
      ),
    );
  const folders = found.text.split(';').filter((one) => one !== '');
  const others = folders.filter((one) => plain(one) !== plain(folder));
  if ((act === 'add') === others.length < folders.length) return ok(null);
  const text = (act === 'add' ? [...folders, folder] : others).join(';');
  const bytes = Buffer.from(`${text}\0`, 'utf16le').toString('hex').match(/../g) ?? [];
  return ok(
    `Windows Registry Editor Version 5.00\r\n\r\n[${USER_KEY}]\r\n"Path"=hex(${found.kind}):${bytes.join(',')}\r\n`,
  );
}

/** Windows takes folders that differ in case or in a backslash at the end for one. */
const plain = (folder: string): string => folder.replace(/\\+$/, '').toLowerCase();
