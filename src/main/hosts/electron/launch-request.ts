import { resolve } from 'node:path';
import type { ShowTarget } from '../../app/workbench';
import { LINK_SCHEME, parseDeepLink } from './deep-link';

/** What a start of the app asks for. */
export interface LaunchRequest {
  /** Absolute. */
  readonly folder?: string;
  readonly demo: boolean;
  readonly link?: ShowTarget;
}

/**
 * Reads the words after the program (and, in development, after the app's folder). When one of them is a
 * link, nothing else counts: whoever made the link chose those words too (THREATS 20). Switches that are not
 * ours belong to Chromium.
 */
export function parseLaunch(words: readonly string[], cwd: string): LaunchRequest {
  const linkWord = words.find((word) => word.toLowerCase().startsWith(`${LINK_SCHEME}:`));
  if (linkWord !== undefined) {
    const link = parseDeepLink(linkWord);
    return { demo: false, ...(link === null ? {} : { link }) };
  }
  const folder = words.find((word) => word !== '' && !word.startsWith('-'));
  return {
    demo: words.includes('--demo'),
    ...(folder === undefined ? {} : { folder: resolve(cwd, folder) }),
  };
}
