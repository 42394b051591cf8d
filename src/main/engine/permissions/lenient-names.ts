/**
 * Disks that take several spellings for one name: macOS leaves out characters that show nothing and joins accents,
 * Windows drops dots and spaces at the end and what follows a colon. Lower case, for comparing with names to guard.
 */
export const plainName = (segment: string): string =>
  segment
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(.):.*$/s, '$1')
    .replace(/(?<=[^. ])[. ]+$/, '');

/** The same text in the one spelling that accents have: composed. Disks of macOS do not tell them apart. */
export const composed = (text: string): string => text.normalize('NFC');

/**
 * The short name that Windows gives a name beside its own: `.gitconfig` is also `GITCON~1`. Lower case, without the
 * number, as {@link shortForm} gives it for a name in use.
 */
export const shortNameOf = (name: string): string =>
  name.replace(/^\.+/, '').split('.')[0]?.slice(0, 6) ?? '';

/** What a name like `git~1` is short for, as {@link shortNameOf} gives it; null for any other name. */
export const shortForm = (name: string): string | null =>
  /^([^.~]{1,6})~\d{1,2}(\.[^.]{0,3})?$/.exec(name)?.[1] ?? null;

/** Why a path means something else on another system than here; null when it does not. For paths with `/`. */
export function foreignPath(target: string): string | null {
  if (!target.startsWith('/')) return null;
  if (target.includes('\\')) return 'it is written as a Windows path and means something else here';
  const segments = target.split('/');
  if (segments.some((segment) => /^(file|https?|ftp|smb|data):$/i.test(segment)))
    return 'it is written as an address and not as a path';
  if (segments.some((segment) => /^[a-z]:$/i.test(segment))) {
    return 'it names a Windows drive and means something else here';
  }
  if (segments.some((segment) => /^~[a-z_+-][\w+-]*$/i.test(segment))) {
    return 'a shell would take it for the home folder of somebody; here it is a plain name';
  }
  return null;
}
