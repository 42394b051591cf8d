import { err, fault, ok, type Result } from '../../shared/result';
import type { ToolServerAct, ToolServerDetails, ToolServerView } from '../../shared/tool-server';
import { createWaker } from '../../shared/waker';
import type { Clock } from '../engine/ports';
import type { Session } from '../engine/session/session';

/** Shows the tool servers and language servers of sessions to a user, and acts on them. */
export interface ToolServerService {
  /** Yields the servers of a session, and again when something about them changed; ends with the signal. */
  watch(sessionId: string, signal: AbortSignal): AsyncGenerator<readonly ToolServerView[]>;
  details(sessionId: string, name: string, signal: AbortSignal): Promise<Result<ToolServerDetails>>;
  /** Does something about a server; the value says what became of it, where that is not seen. */
  act(sessionId: string, act: ToolServerAct): Promise<Result<string | null>>;
}

type ServerSession = Pick<Session, 'servers' | 'languages' | 'reconnectServer' | 'enableServer'>;

export interface ToolServerServiceOptions {
  /** Opens a session, or finds it open. */
  readonly sessionOf: (sessionId: string) => Promise<Result<ServerSession>>;
  readonly clock: Clock;
}

/** Between two looks at what changes all the time. Milliseconds. */
const PAUSE_MS = 250;

/** Creates the service. */
export function createToolServerService({
  sessionOf,
  clock,
}: ToolServerServiceOptions): ToolServerService {
  return {
    async *watch(sessionId, signal) {
      const found = await sessionOf(sessionId);
      if (!found.ok) return;
      const { servers, languages } = found.value;
      const waker = createWaker(signal);
      const unlisten = [servers.onView(waker.wake), languages.onView(waker.wake)];
      try {
        waker.wake();
        while (await waker.wait()) {
          yield [...servers.views(), ...languages.views()];
          await clock.sleep(PAUSE_MS, signal);
        }
      } finally {
        for (const stop of unlisten) stop();
      }
    },
    details: async (sessionId, name, signal) => {
      const found = await sessionOf(sessionId);
      return found.ok ? ok(await found.value.servers.details(name, signal)) : found;
    },
    act: async (sessionId, { kind, name }) => {
      const found = await sessionOf(sessionId);
      if (!found.ok) return found;
      const session = found.value;
      const { signIns } = session.servers;
      const did = (done: boolean): Result<null> => (done ? ok(null) : err(NO_SERVER));
      switch (kind) {
        case 'reconnect':
          return did(session.reconnectServer(name));
        case 'enable':
        case 'disable':
          return did(session.enableServer(name, kind === 'enable'));
        case 'signIn':
          // What becomes of it is in the views: a user may take their time.
          signIns.signIn(name).catch(() => {});
          return ok(null);
        case 'stopSignIn':
          signIns.stop(name);
          return ok(null);
        case 'signOut': {
          const done = await signIns.signOut(name);
          return done.ok ? done : err(fault('sign_out', done.error));
        }
      }
    },
  };
}

const NO_SERVER = fault('no_server', 'That tool server is not in the settings any more.');
