import { app } from 'electron';
import { type LaunchRequest, parseDeepLink, parseLaunch } from './launch-request';
import { bringUp, type Windows } from './windows';

/** Tells whether a start names nothing to open, so that the windows of the last time come back. */
export const asksForNothing = ({ folder, link, demo, newWindow = false }: LaunchRequest): boolean =>
  folder === undefined && link === undefined && !demo && !newWindow;

/** Requests that may come before there is a window. */
export interface EarlyRequests {
  add(request: LaunchRequest): void;
  /** Takes the first one that names something to open; null when none has come. */
  take(): LaunchRequest | null;
  /** Passes what came so far, and everything later, to `follow`. */
  hand(follow: (request: LaunchRequest) => void): void;
}

/** Collects second starts, links and dropped folders that come before there is a window. */
export function collectEarlyRequests(): EarlyRequests {
  const waiting: LaunchRequest[] = [];
  let give = (request: LaunchRequest): void => {
    waiting.push(request);
  };
  app.on('second-instance', (_event, _argv, cwd, data) => give(parseLaunch(wordsIn(data), cwd)));
  app.on('open-file', (event, path) => {
    event.preventDefault();
    give({ folder: path, demo: false });
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    const link = parseDeepLink(url);
    if (link !== null) give({ demo: false, link });
  });
  return {
    add: (request) => give(request),
    take() {
      const at = waiting.findIndex((request) => !asksForNothing(request));
      return at < 0 ? null : (waiting.splice(at, 1)[0] ?? null);
    },
    hand(follow) {
      give = follow;
      for (const request of waiting.splice(0)) follow(request);
    },
  };
}

/** Returns the words that a second start sends along; its `argv` would be mixed with Chromium's own switches. */
const wordsIn = (data: unknown): readonly string[] =>
  typeof data === 'object' && data !== null && 'words' in data && Array.isArray(data.words)
    ? data.words.filter((word) => typeof word === 'string')
    : [];

/** Carries a request out in the windows that are open, or in a new one. */
export function followRequest(request: LaunchRequest, windows: Windows): void {
  const current = windows.current();
  if (request.link !== undefined) windows.show(request.link);
  else if (request.newWindow) windows.open();
  else if (request.folder === undefined && current !== null) bringUp(current);
  else windows.open(request.folder);
}
