import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTerminalClient,
  type TerminalClient,
} from '../../src/main/terminal/client/terminal-client';
import { buildTerminalHost } from './build-entry';

/** A real terminal client over a real host in a home of its own. */
export interface TestTerminals {
  readonly client: TerminalClient;
  /** A temporary folder for working directories and output files; removed by `stop`. */
  readonly folder: string;
  readonly runFolder: string;
  /** The version of Lathe that the clients have. */
  readonly version: string;
  /** Another client of the same home, as a second main process would be. */
  connect(): TerminalClient;
  /** Ends every terminal and the host, and removes the folder. */
  stop(): Promise<void>;
}

/** Starts one. `hostArgs` go to the host's command line, e.g. `--idle-ms 100`. */
export async function startTestTerminals(
  options: {
    readonly hostArgs?: readonly string[];
    readonly answerMs?: number;
    readonly pingAnswerMs?: number;
  } = {},
): Promise<TestTerminals> {
  const hostFile = await buildTerminalHost();
  const { hostArgs = [], ...limits } = options;
  const folder = await mkdtemp(join(tmpdir(), 'lathe-terminals-'));
  const runFolder = join(folder, 'run');
  const clients: TerminalClient[] = [];
  const version = '1.2.3';
  const connect = () => {
    const client = createTerminalClient({
      runFolder,
      ...limits,
      launch: { execPath: process.execPath, args: [hostFile, ...hostArgs], version },
    });
    clients.push(client);
    return client;
  };
  const client = connect();
  return {
    client,
    folder,
    ...{ runFolder, version },
    connect,
    async stop() {
      for (const each of clients) await each.close({ keepTerminals: false });
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
