import type { Result } from '../../shared/result';

/** Programs of the system that a sandbox is made of. Paths are absolute; what is absent is looked for. */
export interface SandboxPrograms {
  readonly bwrap?: string;
  readonly socat?: string;
  /** Finds the files that are to be protected. */
  readonly ripgrep?: ChosenRipgrep;
}

/** A ripgrep, and what stands in front of its other arguments. */
export interface ChosenRipgrep {
  readonly command: string;
  readonly args?: readonly string[];
}

/** Ports of this machine on which the person's own proxies listen, in the place of ours: they judge hosts then. */
export interface ProxyPorts {
  readonly http?: number | undefined;
  readonly socks?: number | undefined;
}

/** A variable for which commands get a stand-in. */
export interface MaskedValue {
  readonly name: string;
  readonly value: string;
  /** Where it is put in on the way out, over encrypted connections alone; may be patterns. */
  readonly hosts: readonly string[];
}

/** The limits of commands in the sandbox. Paths are absolute. */
export interface SandboxPolicy {
  /** May be written, with everything below; protected files in them may not. */
  readonly writable: readonly string[];
  readonly denyWrite: readonly string[];
  /** May be patterns. */
  readonly denyRead: readonly string[];
  /** Readable although a wider entry denies it. */
  readonly allowRead: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  readonly proxyPorts: ProxyPorts;
  /** No host is asked about. */
  readonly strictAllowlist: boolean;
  /** Variables that commands do not get. */
  readonly withheldVariables: readonly string[];
  readonly masked: readonly MaskedValue[];
  /** Opens encrypted connections, by a certificate authority made for it or the one that is named; null: they stay closed. The first command's counts for all. */
  readonly tlsTerminate: {
    readonly caCertPath?: string | undefined;
    readonly caKeyPath?: string | undefined;
  } | null;
  readonly weakerNested: boolean;
  readonly weakerNetwork: boolean;
  readonly nestedNamespaces: boolean;
  /** macOS: commands may start and steer programs, which run outside. */
  readonly appleEvents: boolean;
  readonly allowLocalBinding: boolean;
  readonly allowAllUnixSockets: boolean;
  readonly allowUnixSockets: readonly string[];
  readonly allowMachLookup: readonly string[];
  /** Paths whose violations are not told, by a part of the command; `*`: of every command. */
  readonly ignoreViolations: Readonly<Record<string, readonly string[]>>;
  readonly programs: SandboxPrograms;
}

/** The state of the system's sandbox. `why` and `fix` are for people. */
export type SandboxAvailability =
  | { readonly state: 'ready' }
  /** Only a weaker one, as inside containers; settings must ask for it. */
  | { readonly state: 'weaker'; readonly why: string; readonly fix: string }
  | { readonly state: 'missing'; readonly why: string; readonly fix: string };

/** An act that the sandbox did not allow a command. */
export interface SandboxViolation {
  readonly kind: 'write' | 'connect';
  /** A path, or a host with its port. */
  readonly target: string;
  /** The reason, when somebody gave one. */
  readonly reason?: string | undefined;
}

/** A place on the network a command inside wants to reach, that nothing allows or denies yet. */
export interface NetworkQuestion {
  readonly host: string;
  readonly port: number | null;
}

/** The answer to one. `reason` is told to the command and to the model. */
export interface NetworkAnswer {
  readonly allow: boolean;
  readonly reason: string;
}

/** One command, ready to be started inside. */
export interface SandboxedCommand {
  readonly argv: readonly string[];
  /** Variables that were to be masked and are withheld, because this sandbox cannot put them in. */
  readonly unmasked: readonly string[];
  /** Tells the sandbox which process it is, so that what it needs stays until its end. */
  started(pid: number): void;
  /** To be called once when it has ended, or never started: gives what was not let through. */
  ended(): Promise<readonly SandboxViolation[]>;
}

/** The sandbox of one session. */
export interface SandboxSession {
  /**
   * Puts a command inside. Nothing runs yet; a failure means it must not run. `argv` is given the folder that
   * commands inside have for temporary files (their `TMPDIR`).
   */
  enter(
    command: {
      readonly argv: (temp: string) => readonly string[];
      readonly text: string;
      readonly policy: SandboxPolicy;
    },
    signal: AbortSignal,
  ): Promise<Result<SandboxedCommand>>;
  /** Ends the sandbox; what still runs inside goes on, without network. */
  close(): Promise<void>;
}

/** The sandbox of the operating system. */
export interface Sandbox {
  /** Looks once for each choice of programs, and remembers. */
  availability(programs?: SandboxPrograms): Promise<SandboxAvailability>;
  /** Nothing starts before the first command. `ask` is for hosts that the policy does not name. */
  open(options: {
    readonly project: string;
    readonly ask: (question: NetworkQuestion) => Promise<NetworkAnswer>;
  }): SandboxSession;
}
