import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { devNull } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { CredentialFileConfig, SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import type { SandboxPolicy, SandboxViolation } from '../engine/ports-sandbox';
import { quoteArguments } from './git-files';
import type { Library } from './library';
import { maskableFiles, maskVariables, revoke } from './masks';
import type { Order, Reply } from './protocol';
import { runtimeConfig } from './runtime-config';

/** Time for the library's notes on a command to arrive after its end. Milliseconds. */
const NOTES_MS = 40;
/** The library waits one second for its helpers (socat) to listen. On a busy machine that is too short, so it starts again. */
const MAX_STARTS = 6;
const LATE_HELPERS = /bridge sockets/;
/** Between two looks at the commands of a process that lost its main process. Milliseconds. */
const WATCH_MS = 1000;

interface Running {
  readonly commandId: string;
  readonly isIgnored: (violation: SandboxViolation) => boolean;
  pid: number | null;
}

export interface SandboxServiceOptions {
  readonly library: Library;
  /** The folder for temporary files of commands; removed at the end. */
  readonly temp: string;
  /** The path of the library's helper, when it is not where the library looks. */
  readonly applyPath: string | null;
  readonly say: (reply: Reply) => void;
  readonly exit: (code: number) => void;
}

type Enter = Extract<Order, { kind: 'enter' }>;

/**
 * The sandbox of one session. The library is configured once per process and judges by the process's folder, so every
 * session has a process of its own, in its project.
 */
export class SandboxService {
  readonly #options: SandboxServiceOptions;
  readonly #running = new Map<string, Running>();
  readonly #questions = new Map<number, (answer: { allow: boolean; reason: string }) => void>();
  /** Holds the part that later commands can change: the hosts, and the policy for requests that cannot be signed. */
  #changeable: unknown = null;
  /** Keys are put in where nothing is encrypted: decided with the first command. */
  #plaintext = false;
  #starting: Promise<void> | null = null;
  #asked = 0;
  #alone = false;

  constructor(options: SandboxServiceOptions) {
    this.#options = options;
  }

  async take(order: Order): Promise<void> {
    switch (order.kind) {
      case 'enter':
        return this.#enter(order);
      case 'started': {
        const command = this.#running.get(order.id);
        if (command) command.pid = order.pid;
        return;
      }
      case 'ended':
        return this.#ended(order.id);
      case 'answer':
        this.#questions.get(order.question)?.(order);
        this.#questions.delete(order.question);
        return;
      case 'close':
        return this.end();
    }
  }

  /** Goes on without the main process: commands that still run keep their walls and get no more network. */
  async leftAlone(): Promise<void> {
    this.#alone = true;
    for (const answer of this.#questions.values()) answer({ allow: false, reason: NOBODY });
    while ([...this.#running.values()].some(({ pid }) => pid !== null && isAlive(pid))) {
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    }
    await this.end();
  }

  async end(): Promise<void> {
    await this.#options.library.manager.reset().catch(() => {});
    rmSync(this.#options.temp, { recursive: true, force: true });
    this.#options.exit(0);
  }

  async #enter({ id, command, text, policy, tools }: Enter): Promise<void> {
    const { library, temp, applyPath, say } = this.#options;
    const commandId = randomBytes(16).toString('base64url');
    try {
      const config = runtimeConfig(policy, tools, temp, applyPath);
      await this.#configure(config);
      const { line, files, unmasked } = this.#mask(policy);
      const { argv } = await library.manager.wrapWithSandboxArgv(
        line + command,
        '/bin/sh',
        wrapping(config, files, [
          library.manager.getMitmCA()?.keyPath,
          // It may be another session's already.
          policy.tlsTerminate?.caKeyPath,
        ]),
        undefined,
        undefined,
        { commandId, commandText: text },
      );
      const isIgnored = ignoring(text, policy.ignoreViolations);
      this.#running.set(id, { commandId, isIgnored, pid: null });
      say({ kind: 'entered', id, argv, unmasked });
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      say({ kind: 'refused', id, message });
    }
  }

  /** Starts the proxies with the first command; later only hosts can change, and what cannot be signed. */
  async #configure(config: SandboxRuntimeConfig): Promise<void> {
    const { library } = this.#options;
    const changeable = [config.network, config.credentials?.sigv4];
    if (this.#starting === null) {
      this.#changeable = changeable;
      this.#plaintext = config.credentials?.allowPlaintextInject === true;
      this.#starting = this.#start(withAuthority(library, config));
      this.#starting.catch(() => {
        this.#starting = null;
      });
    }
    await this.#starting;
    if (isDeepStrictEqual(changeable, this.#changeable)) return;
    this.#changeable = changeable;
    library.manager.updateConfig(config);
  }

  /** Starts the proxies, again while their helpers are late. */
  async #start(config: SandboxRuntimeConfig): Promise<void> {
    const { manager } = this.#options.library;
    for (let start = 1; ; start += 1) {
      try {
        return await manager.initialize(config, (place) => this.#ask(place), true);
      } catch (thrown) {
        if (start === MAX_STARTS || !LATE_HELPERS.test(String(thrown))) throw thrown;
      }
    }
  }

  /**
   * Has keys masked that can be; gives the beginning of a shell line that sets the stand-ins of variables, the entries of files,
   * and the names of what is withheld. Throws where it would not be.
   */
  #mask({ masked, maskedFiles, awsPairs, plaintextInject, withoutFileWalls }: Masking) {
    const { library } = this.#options;
    // What goes out in the open cannot be stopped later.
    const isOpen = this.#plaintext && !plaintextInject;
    const canPutIn = !isOpen && (this.#plaintext || library.manager.getMitmCA() !== undefined);
    const variables = maskVariables(library, canPutIn ? masked : [], canPutIn ? awsPairs : []);
    const files = canPutIn
      ? maskableFiles(library, maskedFiles)
      : { entries: [], unmasked: maskedFiles.map(({ path }) => path).filter(existsSync) };
    const [open] = files.unmasked;
    if (withoutFileWalls && open !== undefined)
      throw new Error(`${open} cannot be masked, and without walls it could be read`);
    revoke(library, variables.standIns, files.entries);
    const lines = Object.entries(variables.standIns).map(
      ([name, standIn]) => `export ${name}=${quoteArguments([standIn])}; `,
    );
    const withheld = canPutIn ? variables.unmasked : masked.map(({ name }) => name);
    return {
      ...{ line: lines.join(''), files: files.entries },
      unmasked: [...withheld, ...files.unmasked],
    };
  }

  #ask({ host, port }: { host: string; port: number | undefined }) {
    if (this.#alone) return Promise.resolve({ allow: false as const, reason: NOBODY });
    const question = ++this.#asked;
    return new Promise<true | { allow: false; reason: string }>((resolve) => {
      this.#questions.set(question, ({ allow, reason }) =>
        resolve(allow ? true : { allow: false, reason }),
      );
      this.#options.say({ kind: 'question', question, host, port: port ?? null });
    });
  }

  async #ended(id: string): Promise<void> {
    const { library, say } = this.#options;
    const command = this.#running.get(id);
    if (!command) return say({ kind: 'report', id, violations: [] });
    await new Promise((resolve) => setTimeout(resolve, NOTES_MS));
    const noted = library.manager
      .getSandboxViolationStore()
      .getViolationsForCommand(command.commandId);
    this.#running.delete(id);
    library.manager.cleanupAfterCommand();
    const violations = readViolations(noted.map(({ line }) => line));
    say({ kind: 'report', id, violations: violations.filter((one) => !command.isIgnored(one)) });
  }
}

type Masking = Pick<
  SandboxPolicy,
  'masked' | 'maskedFiles' | 'awsPairs' | 'plaintextInject' | 'withoutFileWalls'
>;

/**
 * Returns a configuration with a new certificate authority where none is named. The library would write its key into a file, which
 * the commands of other sessions could read.
 */
function withAuthority(
  { generateCa }: Library,
  config: SandboxRuntimeConfig,
): SandboxRuntimeConfig {
  const { tlsTerminate } = config.network;
  if (tlsTerminate === undefined || tlsTerminate.caKeyPath !== undefined) return config;
  const { certPem, keyPem } = generateCa();
  const authority = {
    ...{ caCertPem: certPem, caKeyPem: keyPem },
    // Not read; the library lets commands read it, and takes none for the folder they work in.
    caCertPath: devNull,
  };
  return { ...config, network: { ...config.network, tlsTerminate: authority } };
}

/** Returns the parts of a configuration that count for one command. */
const wrapping = (
  { filesystem, credentials, allowNestedUserNamespaces }: SandboxRuntimeConfig,
  files: readonly CredentialFileConfig[],
  caKeys: readonly (string | undefined)[],
): Partial<SandboxRuntimeConfig> => ({
  filesystem: {
    ...filesystem,
    denyRead: [
      ...filesystem.denyRead,
      // Whoever has it can stand in for any host.
      ...caKeys.flatMap((path) => (path ? [{ path, literal: true as const }] : [])),
    ],
  },
  credentials: { ...credentials, files: [...files] },
  ...(allowNestedUserNamespaces === undefined ? {} : { allowNestedUserNamespaces }),
});

/** Returns what tells the violations of a command that people do not want to hear of. */
function ignoring(
  text: string,
  lists: Readonly<Record<string, readonly string[]>>,
): (violation: SandboxViolation) => boolean {
  const paths = Object.entries(lists).flatMap(([part, named]) =>
    part === '*' || text.includes(part) ? named : [],
  );
  return ({ kind, target }) =>
    kind === 'write' && paths.some((path) => target === path || target.startsWith(`${path}/`));
}

const NOBODY = 'Lathe was closed, so nobody can be asked';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** More of them tell nobody anything. */
const MAX_VIOLATIONS = 10;

/** Parses the library's notes on a command: `deny openat /etc/x`, `deny network-outbound host:443 (why)`. */
function readViolations(lines: readonly string[]): readonly SandboxViolation[] {
  const found = new Map<string, SandboxViolation>();
  for (const line of lines) {
    const violation = readViolation(line);
    if (violation) found.set(`${violation.kind} ${violation.target}`, violation);
    if (found.size === MAX_VIOLATIONS) break;
  }
  return [...found.values()];
}

function readViolation(line: string): SandboxViolation | null {
  const network = /^deny network-outbound (\S+)(?: \((.*)\))?$/.exec(line);
  if (network) {
    const [, target = '', reason] = network;
    return { kind: 'connect', target, ...(reason === undefined ? {} : { reason }) };
  }
  const [, syscall = '', target = ''] = /^deny (\S+) (\/.*)$/.exec(line) ?? [];
  // Devices and the like are noted although they are let through.
  const isNoise = target === '' || /^\/(dev|proc|sys)(\/|$)/.test(target);
  return isNoise || syscall.startsWith('file-read') ? null : { kind: 'write', target };
}
