import { type ChildProcess, spawn } from 'node:child_process';
import type { NetworkAnswer, NetworkQuestion } from '../engine/ports-sandbox';
import { type Order, Reply } from './protocol';

/** How the sandbox process is started: a Node program, or Electron with `ELECTRON_RUN_AS_NODE`. */
export interface SandboxLaunch {
  readonly execPath: string;
  /** The built `sandbox-host.js`, with whatever must come before it. */
  readonly args: readonly string[];
  /** The whole environment of the process; keys are not in it. */
  readonly env: Readonly<Record<string, string>>;
}

/** What is answered to an order that wants an answer. */
export type Answer = Extract<Reply, { id: string }>;

/** A running sandbox process. */
export interface SandboxProcess {
  /** Sends an order; what comes back under its id. Null when the process is gone. */
  ask(order: Extract<Order, { id: string }>): Promise<Answer | null>;
  tell(order: Order): void;
  readonly isGone: boolean;
  /** Ends it and waits for that. `leave`: it goes by itself when its commands have ended. */
  close(leave: boolean): Promise<void>;
}

/** How long it may take to come down. Milliseconds. */
const END_MS = 3000;

/** Starts one, in a folder, with a folder for temporary files that it removes at its end. Questions about the network go to `onQuestion`, which never rejects. */
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

/** All that the process gets of ours: what finds programs and speaks, and the way out of the network. */
const INHERITED = /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|(https?|no)_proxy)$/i;

/** The environment of a sandbox process. Keys are not in it. */
export const sandboxEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && INHERITED.test(name) ? [[name, value] as const] : [],
    ),
  );
