import { findSecrets } from '../model/scrub';

/** A tool server as a user is shown it: nothing in it is secret. */
export interface ShownServer {
  readonly type: string;
  /** The command with its arguments, or the address. */
  readonly target: string;
  /** The names of the variables that it is started with. */
  readonly sets: readonly string[];
  /** The names of the headers that it is sent. */
  readonly sends: readonly string[];
}

/** The replacement of what may be secret. */
const HIDDEN = '…';

/** Words of a command whose value may be secret. */
const TELLING = /(key|token|secret|pass(word)?|auth\w*|credential\w*|bearer)$/i;

/** Returns what can be shown of a server, whatever a file says about it. Pure. */
export function shownServer(value: unknown): ShownServer {
  const { type, command, args, url, env, headers } = Object(value) as Readonly<
    Record<string, unknown>
  >;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(
    (word) => typeof word === 'string',
  );
  return {
    type: typeof type === 'string' ? type : 'stdio',
    target: typeof url === 'string' ? shownAddress(url) : shownWords(words),
    sets: namesOf(env),
    sends: namesOf(headers),
  };
}

const namesOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];

/** Returns an address without user, password, and the values behind its question mark. Pure. */
export function shownAddress(text: string): string {
  const [, scheme = '', rest = text] = /^([a-z][a-z\d+.-]*:\/\/)?(.*)$/is.exec(text) ?? [];
  const [, before = '', query] = /^([^?#]*)([?#].*)?$/s.exec(rest) ?? [];
  // A password may hold an @ itself.
  const place = before.replace(/^[^/]*@/, `${HIDDEN}@`);
  const hidden =
    query
      ?.replace(/#.*/s, '')
      // What stands alone is a value as well as a name.
      .replaceAll(/([?&])([^&=]+)(=[^&]*)?/g, (_, sign, name, value) =>
        value === undefined ? `${sign}${HIDDEN}` : `${sign}${name}=${HIDDEN}`,
      ) ?? '';
  return withoutSecrets(`${scheme}${place}${hidden}`);
}

/** Returns a text with every address in it as {@link shownAddress} shows it. Pure. */
export const withShownAddresses = (text: string): string =>
  text.replaceAll(/[a-z][a-z\d+.-]{0,20}:\/\/[^\s'"<>]+/gi, shownAddress);

/** Returns the words of a command in one line; what follows a word such as `--token` is hidden. */
function shownWords(words: readonly string[]): string {
  const shown = words.map((word, index) => {
    const named = /^(-{0,2}[\w-]+)=/s.exec(word)?.[1];
    if (named !== undefined && TELLING.test(named)) return `${named}=${HIDDEN}`;
    const before = words[index - 1] ?? '';
    if (/^-/.test(before) && TELLING.test(before) && !/^-/.test(word)) return HIDDEN;
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(word)) return shownAddress(word);
    return /[\s"']/.test(word) ? JSON.stringify(word) : word;
  });
  return withoutSecrets(shown.join(' '));
}

/** Returns a text with everything hidden in it that looks like a key. Pure. */
export const withoutSecrets = (text: string): string =>
  findSecrets(text).reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
