import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Clock } from '../ports';
import type { AskOptions } from './in-time';
import type { ListedTools } from './listed-tools';

/** The pause between two looks at a task, when the server names none, and its bounds. Milliseconds. */
const POLL_MS = 1_000;
const LEAST_POLL_MS = 200;
const MOST_POLL_MS = 30_000;
/** The time for an answer about a task, which says nothing of the task itself. Milliseconds. */
const LOOK_MS = 30_000;

const Task = z.looseObject({
  taskId: z.string().min(1),
  statusMessage: z.string().optional().catch(undefined),
  pollInterval: z.number().optional().catch(undefined),
});
const Created = z.looseObject({ task: Task });

/** The steps that a server has done of a call; `total` where it knows. */
export interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

interface CallOptions extends AskOptions {
  readonly onprogress: (progress: CallProgress) => void;
}

/** Calls of a server's tools, as tasks of the server where a tool wants that (MCP 2025-11-25). */
export interface ToolCalls {
  /** Notes how the tools of a list want to be called, and gives it back. */
  note(listed: ListedTools): ListedTools;
  /** Calls a tool. Throws what the client throws. */
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<CallToolResult>;
}

/** Creates the calls over one connection. */
export function createToolCalls(client: Client, clock: Clock): ToolCalls {
  let asTasks: ReadonlySet<string> = new Set();
  return {
    note: (listed) => {
      const wanted = listed.tools.filter(({ execution }) => execution?.taskSupport === 'required');
      asTasks = new Set(wanted.map(({ name }) => name));
      return listed;
    },
    call: (name, input, options) => {
      const params = { name, arguments: { ...input } };
      return asTasks.has(name) && client.getServerCapabilities()?.tasks?.requests?.tools?.call
        ? callAsTask(client, params, options, clock)
        : client.callTool(params, options);
    },
  };
}

/** Calls a tool as a task, tells how it stands, and waits for its result, whatever it asks the user meanwhile. */
async function callAsTask(
  client: Client,
  params: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
  { onprogress, ...options }: CallOptions,
  clock: Clock,
): Promise<CallToolResult> {
  const { specTypeSchemas } = await import('@modelcontextprotocol/client');
  const call = { method: 'tools/call', params: { ...params, task: {} } };
  const { task } = await client.request(call, Created, options);
  const of = { taskId: task.taskId };
  const over = new AbortController();
  const watching = AbortSignal.any([options.signal, over.signal]);
  const follow = async (): Promise<void> => {
    let progress = 0;
    for (let now = task, told = ''; !watching.aborted; ) {
      const { statusMessage: message = '', pollInterval = POLL_MS } = now;
      if (message !== told) {
        progress += 1;
        onprogress({ progress, message });
      }
      told = message;
      const pause = Math.min(Math.max(pollInterval, LEAST_POLL_MS), MOST_POLL_MS);
      await clock.sleep(pause, watching);
      if (watching.aborted) return;
      const look = { signal: watching, timeout: LOOK_MS };
      now = await client.request({ method: 'tasks/get', params: of }, Task, look);
    }
  };
  // How it stands is only shown; the result says what became of it.
  void follow().catch(() => {});
  try {
    const wanted = { method: 'tasks/result', params: of };
    return await client.request(wanted, specTypeSchemas.CallToolResult, options);
  } catch (thrown) {
    const cancel = { method: 'tasks/cancel', params: of };
    if (options.signal.aborted || isLate(thrown))
      client.request(cancel, z.looseObject({}), { timeout: LOOK_MS }).catch(() => {});
    throw thrown;
  } finally {
    over.abort();
  }
}

const isLate = (thrown: unknown): boolean =>
  thrown instanceof Error && Reflect.get(thrown, 'code') === 'REQUEST_TIMEOUT';
