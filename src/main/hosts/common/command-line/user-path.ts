import { err, fault, ok, type Result } from '../../../../shared/result';

/** What is done with the command `lathe`: it can be called from any folder, or no more. */
export type PathAct = 'add' | 'remove';

/** The key that holds a person's own variables on Windows. */
const KEY = 'HKEY_CURRENT_USER\\Environment';

/**
 * Returns the file that makes Windows's registry add `folder` to the person's `PATH`, or take it out, where `exported` is
 * what the registry writes of {@link KEY}; null when nothing is to be done. Every other folder, and the kind of the value,
 * stays as it is. Pure.
 */
export function changedRegistry(
  exported: string,
  folder: string,
  act: PathAct,
): Result<string | null> {
  const found = readPath(exported);
  if (found === null)
    return err(
      fault(
        'not_text',
        `${KEY}\\Path is no text, so it was left as it is.`,
        `Add ${folder} to it in the system's settings, under "Environment variables".`,
      ),
    );
  const folders = found.text.split(';').filter((one) => one !== '');
  const others = folders.filter((one) => plain(one) !== plain(folder));
  if ((act === 'add') === others.length < folders.length) return ok(null);
  const text = (act === 'add' ? [...folders, folder] : others).join(';');
  const bytes = Buffer.from(`${text}\0`, 'utf16le').toString('hex').match(/../g) ?? [];
  return ok(
    `Windows Registry Editor Version 5.00\r\n\r\n[${KEY}]\r\n"Path"=hex(${found.kind}):${bytes.join(',')}\r\n`,
  );
}

/** Windows takes folders that differ in case or in a backslash at the end for one. */
const plain = (folder: string): string => folder.replace(/\\+$/, '').toLowerCase();

/** The kinds of text in the registry: as it stands, and with `%names%` in it. */
const AS_IT_STANDS = 1;
const WITH_NAMES = 2;

interface PathValue {
  readonly text: string;
  readonly kind: number;
}

/** Returns the value of `Path` in an exported key; null when it is no text. One that is missing is empty. */
function readPath(exported: string): PathValue | null {
  // Long values go on in the next line.
  const lines = exported.replace(/\\\r?\n\s*/g, '').split(/\r?\n/);
  const begin = lines.findIndex((line) => line.toLowerCase() === `[${KEY}]`.toLowerCase());
  const rest = begin < 0 ? [] : lines.slice(begin + 1);
  const end = rest.findIndex((line) => line.startsWith('['));
  const line = rest.slice(0, end < 0 ? undefined : end).find((one) => /^"path"=/i.test(one));
  if (line === undefined) return { text: '', kind: WITH_NAMES };
  const value = line.slice(line.indexOf('=') + 1);
  if (/^".*"$/.test(value))
    return { text: value.slice(1, -1).replace(/\\(.)/g, '$1'), kind: AS_IT_STANDS };
  const [, kind, digits = ''] = /^hex\(([12])\):([\da-f,]*)$/i.exec(value) ?? [];
  if (kind === undefined) return null;
  const text = Buffer.from(digits.replaceAll(',', ''), 'hex').toString('utf16le');
  return { text: text.replace(/\0+$/, ''), kind: Number(kind) };
}
