import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTerminalClient,
  type TerminalClient,
  type TerminalClientOptions,
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
  connect(limits?: ClientLimits): TerminalClient;
  /** Ends every terminal and the host, and removes the folder. */
  stop(): Promise<void>;
}

/** How long a client waits for its host. Left out: as long as the app does. */
type ClientLimits = Pick<TerminalClientOptions, 'answerMs' | 'pingAnswerMs' | 'greetingMs'>;

/** Starts one. `hostArgs` go to the host's command line, e.g. `--idle-ms 100`. */
export async function startTestTerminals(
  options: ClientLimits & { readonly hostArgs?: readonly string[] } = {},
): Promise<TestTerminals> {
  const hostFile = await buildTerminalHost();
  const { hostArgs = [], ...limits } = options;
  const folder = await mkdtemp(join(tmpdir(), 'lathe-terminals-'));
  const runFolder = join(folder, 'run');
  const clients: TerminalClient[] = [];
  const version = '1.2.3';
  const connect = (own: ClientLimits = {}) => {
    const client = createTerminalClient({
      runFolder,
      ...{ ...limits, ...own },
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
