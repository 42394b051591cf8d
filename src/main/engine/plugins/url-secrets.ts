/** The part of an address before its host, and what stands behind its path: either may hold a key. */
const BEFORE_HOST = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#'"<>]*@/gi;
const BEHIND_PATH = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s?#'"<>]*)\?[^\s#'"<>]*/gi;

/** Takes names, passwords and queries out of every address in a text. Pure. */
export const withoutUrlSecrets = (text: string): string =>
  text.replace(BEFORE_HOST, '$1').replace(BEHIND_PATH, '$1');
