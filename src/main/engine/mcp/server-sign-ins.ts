import { err, ok, type Result } from '../../../shared/result';
import { canSignIn, remoteServer } from './remote-server';
import { signIn, signOut } from './sign-in';
import type { ToolServer, ToolServerDeps } from './tool-server';

/** The signing in to servers of one session. */
export interface ServerSignIns {
  /** Signs the user in; the address to open is in {@link page} meanwhile. The error is for the user. */
  signIn(name: string): Promise<Result<null, string>>;
  /** Stops that. */
  stop(name: string): void;
  /** Signs the user out. The value says what became of it, the error why not. */
  signOut(name: string): Promise<Result<string, string>>;
  /** Returns the address that the user has to open; '' before it is known, null when nobody signs in. */
  page(name: string): string | null;
  /** Returns why the last try to sign in failed; null when it did not. */
  problem(name: string): string | null;
  /** Tries those again that wanted a sign-in and have one by now, from another session or process. Returns at once. */
  recheck(): void;
  /** Stops all. */
  close(): void;
}

/** The parts of a session's servers that signing in needs. */
interface ServerParts {
  readonly servers: ReadonlyMap<string, ToolServer>;
  reconnect(name: string): boolean;
  changed(): void;
}

/** Creates the signing in of a session. */
export function createServerSignIns(
  deps: ToolServerDeps,
  { servers, reconnect, changed }: ServerParts,
): ServerSignIns {
  const running = new Map<string, { page: string; readonly stop: AbortController }>();
  const problems = new Map<string, string>();
  const reached = async (name: string, signal: AbortSignal) => {
    const server = servers.get(name);
    if (server === undefined) return err(`There is no tool server "${name}".`);
    const remote = await remoteServer(server.setting, deps, signal);
    if (!remote.ok) return remote;
    return canSignIn(remote.value)
      ? ok({ ...remote.value, lacking: server.lacking })
      : err(`Nobody can sign in to "${name}": ${NO_SIGN_IN}`);
  };
  const stop = (name: string) => {
    running.get(name)?.stop.abort();
    running.delete(name);
    changed();
  };
  return {
    stop,
    problem: (name) => problems.get(name) ?? null,
    signIn: async (name) => {
      stop(name);
      problems.delete(name);
      const mine = { page: '', stop: new AbortController() };
      running.set(name, mine);
      changed();
      const { signal } = mine.stop;
      try {
        const found = await reached(name, signal);
        if (!found.ok) {
          problems.set(name, found.error);
          return found;
        }
        const { lacking, oauth, ...remote } = found.value;
        const scopes = [oauth?.scopes, lacking].filter(Boolean).join(' ');
        const server = { ...remote, oauth: { ...oauth, ...(scopes === '' ? {} : { scopes }) } };
        const done = await signIn(
          server,
          deps,
          (page) => {
            mine.page = page;
            changed();
          },
          signal,
        );
        if (done.ok) reconnect(name);
        else if (!signal.aborted) problems.set(name, done.error);
        return done;
      } finally {
        if (running.get(name) === mine) running.delete(name);
        changed();
      }
    },
    signOut: async (name) => {
      const never = new AbortController().signal;
      const found = await reached(name, never);
      if (!found.ok) return found;
      const done = await signOut(found.value.url, deps);
      if (!done.ok) return err(done.error.message);
      reconnect(name);
      return ok(done.value ?? 'Nobody was signed in.');
    },
    page: (name) => running.get(name)?.page ?? null,
    recheck: () => {
      for (const [name, server] of servers) {
        if (server.status !== 'needs-auth' || server.address === null) continue;
        deps.signIns
          .look(server.address)
          .then((kept) => {
            const token = kept?.tokens.access_token ?? null;
            if (token === null || token === server.refused) return;
            if (servers.get(name) === server) reconnect(name);
          })
          .catch(() => {});
      }
    },
    close: () => {
      for (const { stop: ending } of running.values()) ending.abort();
      running.clear();
    },
  };
}

const NO_SIGN_IN = 'only to servers at an address, without an "Authorization" header of yours.';
