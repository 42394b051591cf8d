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

/** Ports of this machine on which the user's own proxies listen, in the place of ours: they judge hosts then. */
export interface ProxyPorts {
  readonly http?: number | undefined;
  readonly socks?: number | undefined;
}

/** The part of a key that is masked, and its form. What matches nothing is withheld. */
export interface MaskShape {
  /** A pattern whose first group is the key, wherever it matches. */
  readonly extract?: string | undefined;
  readonly decode?: 'jwt' | undefined;
  /** The claims of a token that are masked in the place of all of it. */
  readonly claims?: readonly string[] | undefined;
  /** Nothing runs where nothing matches. */
  readonly failsWithout?: boolean | undefined;
  /** Masks what was found elsewhere in the file, too. */
  readonly duplicates?: boolean | undefined;
}

/** A key for which commands get a stand-in. */
interface MaskedKey {
  /** Where it is put in on the way out; may be patterns. */
  readonly hosts: readonly string[];
  /** Absent: all of it is masked. */
  readonly shape?: MaskShape | undefined;
}

/** A variable for which commands get a stand-in. */
export interface MaskedValue extends MaskedKey {
  readonly name: string;
  readonly value: string;
}

/** A file for which commands get a stand-in. Its path is absolute. */
export interface MaskedFile extends MaskedKey {
  readonly path: string;
}

/** The variables of one key of AWS, which is never sent: requests are signed anew with it. */
export interface AwsPair {
  readonly accessKeyIdVar: string;
  readonly secretAccessKeyVar: string;
  readonly sessionTokenVar?: string | undefined;
}

/** Names what is done with requests that cannot be signed anew. Default: denied. */
export interface SigningPolicy {
  readonly streaming?: 'deny' | 'passthrough' | undefined;
  readonly presigned?: 'deny' | 'passthrough' | undefined;
  readonly sigv4a?: 'deny' | 'passthrough' | undefined;
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
  readonly maskedFiles: readonly MaskedFile[];
  readonly awsPairs: readonly AwsPair[];
  readonly sigv4: SigningPolicy;
  /** Keys are put in where nothing is encrypted, too. The first command's counts for all. */
  readonly plaintextInject: boolean;
  /** There are no walls between files. */
  readonly withoutFileWalls: boolean;
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
  /** Variables and files that were to be masked and are withheld, because this sandbox cannot put them in. */
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
