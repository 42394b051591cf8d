import { type ChildProcess, spawn } from 'node:child_process';
import type { NetworkAnswer, NetworkQuestion } from '../engine/ports-sandbox';
import { type Order, Reply } from './protocol';

/** The command that starts the sandbox process: a Node program, or Electron with `ELECTRON_RUN_AS_NODE`. */
export interface SandboxLaunch {
  readonly execPath: string;
  /** The built `sandbox-host.js`, with whatever must come before it. */
  readonly args: readonly string[];
  /** The whole environment of the process; keys are not in it. */
  readonly env: Readonly<Record<string, string>>;
}

/** The answer to an order that wants one. */
type Answer = Extract<Reply, { id: string }>;

/** A running sandbox process. */
export interface SandboxProcess {
  /** Sends an order and resolves with the answer under its id; null when the process is gone. */
  ask(order: Extract<Order, { id: string }>): Promise<Answer | null>;
  tell(order: Order): void;
  readonly isGone: boolean;
  /** Ends it and waits for that. `leave`: it goes by itself when its commands have ended. */
  close(leave: boolean): Promise<void>;
}

/** Time for the process to end. Milliseconds. */
const END_MS = 3000;

/** Starts a sandbox process in `folder`; it removes `temp`, its folder for temporary files, at its end.
 * `onQuestion` answers questions about the network and never rejects. */
export function startSandboxProcess(
  launch: SandboxLaunch,
  folder: string,
  temp: string,
  onQuestion: (question: NetworkQuestion) => Promise<NetworkAnswer>,
): SandboxProcess {
  const child = spawn(launch.execPath, [...launch.args, temp], {
    cwd: folder,
    env: launch.env,
    // Not in our group: a key pressed in our terminal must not take the walls down.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const waiting = new Map<string, (answer: Answer | null) => void>();
  const gone = Promise.withResolvers<void>();
  let isGone = false;
  const end = () => {
    isGone = true;
    for (const resolve of waiting.values()) resolve(null);
    waiting.clear();
    gone.resolve();
  };
  child.once('error', end);
  child.once('exit', end);
  const tell = (order: Order) => {
    // It may be gone by now; then `end` tells those who wait.
    if (child.connected) child.send(order, () => undefined);
  };
  child.on('message', (message) => {
    const reply = Reply.safeParse(message);
    if (!reply.success) return;
    if (reply.data.kind !== 'question') {
      waiting.get(reply.data.id)?.(reply.data);
      waiting.delete(reply.data.id);
      return;
    }
    const { question, host, port } = reply.data;
    onQuestion({ host, port }).then(
      (answer) => tell({ kind: 'answer', question, ...answer }),
      () => tell({ kind: 'answer', question, allow: false, reason: 'the question failed' }),
    );
  });

  return {
    tell,
    ask: (order) =>
      new Promise((resolve) => {
        if (isGone) return resolve(null);
        waiting.set(order.id, resolve);
        tell(order);
      }),
    get isGone() {
      return isGone;
    },
    close: async (leave) => {
      if (isGone) return;
      if (leave) return letGo(child);
      tell({ kind: 'close' });
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await gone.promise;
      clearTimeout(timer);
    },
  };
}

function letGo(child: ChildProcess): void {
  child.disconnect();
  child.unref();
}

/** The variables the process inherits: those that find programs, set the language, and name the proxy and whom to trust. */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|(https?|no)_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** Returns the environment of a sandbox process. It holds no keys. */
export const sandboxEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && INHERITED.test(name) ? [[name, value] as const] : [],
    ),
  );
