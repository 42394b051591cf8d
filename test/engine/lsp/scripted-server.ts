import { createFrameReader, framed } from '../../../src/main/engine/lsp/framing';
import type { Commands } from '../../../src/main/engine/ports';
import type { LanguageServerSetting } from '../../../src/main/engine/settings/plugins/language-servers';

type Params = Readonly<Record<string, unknown>>;

/** A language server in this process, in the place of a program. What it sends unasked comes from the one started last. */
export interface ScriptedServer {
  /** Answers to requests; what is not there has no answer. */
  readonly answers: Record<string, (params: Params) => unknown>;
  /** Everything it was sent, oldest first: methods, and the parameters of each. */
  readonly heard: (readonly [method: string, params: Params])[];
  /** The answers it was given, by the id of its request. */
  readonly given: Map<number, unknown>;
  /** Environments and arguments that it was started with. */
  readonly starts: Parameters<Commands['start']>[0][];
  /** Sends a notification, or with an id a request. */
  send(method: string, params: unknown, id?: number): void;
  /** Prints bytes as they are. */
  print(text: string): void;
  /** Ends by itself. */
  crash(why: string): void;
  /** Called with each method that it is sent. */
  hears(method: string): void;
  /** It reads what it is sent. */
  reads: boolean;
  /** The text that it printed on standard error. */
  printed: string;
  /** The number of programs that run. */
  running(): number;
  readonly commands: Commands;
}

/** Creates one that says it is able to do everything, and finds nothing. */
export function scriptedServer(): ScriptedServer {
  let onOutput = (_chunk: Uint8Array) => {};
  let leave = (_why: string) => {};
  let running = 0;
  const write = (message: unknown) => onOutput(Buffer.from(framed(message)));
  const server: ScriptedServer = {
    answers: {
      initialize: () => ({
        capabilities: {
          textDocumentSync: { openClose: true, change: 1, save: true },
          ...{ hoverProvider: true, definitionProvider: true, referencesProvider: true },
          ...{ implementationProvider: true, documentSymbolProvider: true },
          ...{ workspaceSymbolProvider: true, callHierarchyProvider: true },
        },
      }),
      shutdown: () => null,
    },
    ...{ heard: [], given: new Map(), starts: [], printed: '' },
    ...{ hears: () => {}, reads: true },
    send: (method, params, id) => write({ method, params, ...(id === undefined ? {} : { id }) }),
    print: (text) => onOutput(Buffer.from(text)),
    crash: (why) => leave(why),
    running: () => running,
    commands: {
      run: () => {
        throw new Error('This test runs no commands.');
      },
      start: (command, output) => {
        server.starts.push(command);
        running += 1;
        const { promise: ended, resolve } = Promise.withResolvers<string>();
        let isGone = false;
        leave = (why) => {
          if (!isGone) running -= 1;
          isGone = true;
          resolve(why);
        };
        const own = leave;
        const answerWith = (message: unknown) => {
          if (!isGone) output(Buffer.from(framed(message)));
        };
        onOutput = (chunk) => {
          if (!isGone) output(chunk);
        };
        const bodiesOf = createFrameReader();
        return {
          stderr: () => server.printed,
          ended,
          end: async () => own('It was ended.'),
          write: async (text) => {
            if (!server.reads) return new Promise(() => {});
            for (const body of bodiesOf(Buffer.from(text))) {
              const { id, method, params = null, result = null } = JSON.parse(body);
              if (method === undefined) {
                server.given.set(id, result);
                continue;
              }
              server.heard.push([method, params]);
              server.hears(method);
              if (method === 'exit') own('It ended with exit code 0.');
              if (id === undefined) continue;
              const answer = server.answers[method]?.(params);
              if (answer instanceof Fault)
                answerWith({ id, error: { code: answer.code, message: answer.message } });
              else if (answer !== undefined) answerWith({ id, result: answer });
            }
          },
        };
      },
    },
  };
  return server;
}

/** An answer that is an error. */
export class Fault extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A setting whose program is there on every machine that tests run on; none of it is started. */
export const setting = (changed: Partial<LanguageServerSetting> = {}): LanguageServerSetting => ({
  name: 'toy:stone',
  command: process.execPath,
  args: [],
  env: {},
  languages: { '.stone': 'stone' },
  ...{ startupTimeout: 30_000, shutdownTimeout: 2_000, maxRestarts: 3 },
  ...{ file: '/plugins/toy/.lsp.json', line: 2 },
  ...changed,
});
