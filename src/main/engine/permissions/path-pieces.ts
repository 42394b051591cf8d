/** Returns the parts of a word that may name files, behind a letter of an option or between other signs. For denials only. */
export function piecesOf(word: string): string[] {
  if (/^[\w./-]+$/.test(word) && !word.startsWith('-')) return [];
  const bare = word
    // Of an address with a query or a place in the file, the file is read.
    .replace(/(\bfile:[^\s?#]*)[?#]\S*/gi, '$1')
    .replace(/\bfile:\/+(?=\$)/gi, ' ')
    .replace(/\bfile:\/+(?:(?:localhost|127\.0\.0\.1)\/)?/gi, ' /')
    .replace(/\$\{?PWD\}?\//g, './');
  const parts = bare
    .split(/[\s"'`()[\]{}<>=,:;@!#|&$\\]+/)
    .filter((part) => /^[-\w./~+]/.test(part));
  const attached = [word, ...parts].flatMap((part) => [
    ...OPTION_LETTERS.map((letters) => letters.exec(part)?.[1]),
    /^--?[a-z-]+([./~].*)$/i.exec(part)?.[1],
  ]);
  return [...parts, ...attached].filter(
    (part) => part !== undefined && mayBePath(part) && !/^-/.test(part),
  ) as string[];
}

/** A statement of SQL that is given the name of a file. */
const NAMES_FILE = /(?:\bcopy\b[^;'"]*\b(?:from|to)|\binfile)\s+(["'])([^"'\n]+)\1/gi;

/** Returns the files that a text for the shell of a database reads or writes. */
export const filesOfSql = (code: string): string[] =>
  [...code.matchAll(NAMES_FILE)].flatMap(([, , file = '']) => (mayBePath(file) ? [file] : []));

/** One letter of an option with its value, or more in front of it: `-sTfile`. */
const OPTION_LETTERS = [/^-\w(.+)$/, /^-\w{2}(.+)$/, /^-\w{3}(.+)$/];

/** Tells whether a word may be a path: not longer words and those with line breaks. */
export const mayBePath = (word: string): boolean =>
  word !== '' && word.length <= 1_024 && !/[\n\0]/.test(word);

/** Returns the same of the text of a command with words only known at run time. */
export const piecesOfLine = (text: string): string[] =>
  piecesOf(text.replace(OWN_ADDRESS, ' ').replace(OWN_FOLDER, './').replace(SUBSTITUTION, ''));

/** `file:` in front of a variable, with this machine as its host. */
const OWN_ADDRESS = /\bfile:\/*(?:localhost|127\.0\.0\.1)?(?=["$])/gi;

/** `$PWD/` and `$(pwd)/`, in quotes or not. */
const OWN_FOLDER = /"?\$(?:PWD|\{PWD\}|\(pwd(?: -[LP])?\))"?\//g;

/** `$(…)`, whose commands are looked at by themselves. */
const SUBSTITUTION = /\$\((?:[^()]|\([^()]*\))*\)/g;
