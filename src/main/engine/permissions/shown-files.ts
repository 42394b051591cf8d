import { FILE_READERS } from './read-only/files';
import type { ShellCommand } from './request';

/** Tells whether a program reads the files it is given. */
export const isFileReader = (name: string): boolean =>
  Object.hasOwn(FILE_READERS, name) || /^(cd|find|sed|awk|less|more|vi|vim|nano)$/.test(name);

/** Readers that show no content of what they are given: a name only known at run time gives nothing away. */
const SHOWS_NAMES =
  /^(?:ls|basename|dirname|realpath|readlink|stat|file|test|\[\[?|du|wc|tree|cd|(?:sha\d*|md5|ck)sum)$/;

/** Tells whether such a program shows what is in them. */
export const showsContent = (name: string): boolean =>
  isFileReader(name) && !SHOWS_NAMES.test(name);

/** Ways in which programs that are no readers print a file, or send it elsewhere. */
const GIVES_AWAY: Readonly<Record<string, RegExp>> = {
  dd: /./,
  man: /./,
  wget: /\s(?:-\w*i|--(?:post|body|input)-file)\b/,
  curl: /@["']?[\w./-]*[$`{*?]/,
  http: /@/,
  https: /@/,
  gh: /\sgist\s|\s(?:-F|--body-file|--input|--notes-file)\b/,
  git: /\s(?:--contents|--file|-F)\b/,
  date: /\s(?:-\w*f|--file)\b/,
  file: /\s(?:-\w*f|--files-from)\b/,
  logger: /\s(?:-\w*f|--file)\b/,
  du: /\s--files0/,
  wc: /\s--files0/,
  bash: /\s--(?:rc|init-)file\b/,
};

/** Tells whether a command with words only known at run time may print or send any file. */
export function givesAway({ words, text }: ShellCommand): boolean {
  const name = words[0]?.split('/').at(-1) ?? '';
  return Object.hasOwn(GIVES_AWAY, name) && GIVES_AWAY[name]?.test(text) === true;
}
