import type { ApprovalAnswer, ApprovalSubject, PermissionMode } from '../../../shared/permission';
import type { Result } from '../../../shared/result';
import type { TodoItem, ToolView } from '../../../shared/tool-call';
import type { AskModel } from '../model/side-call';
import type { PermissionRequest } from '../permissions/request';
import type { ShellParser } from '../permissions/shell-analysis/parser';
import type { Clock, Files, Ids, Locks, Programs, TerminalExit, Terminals } from '../ports';
import type { Pdfs, Web } from '../ports-documents';
import type { SandboxedCommand } from '../ports-sandbox';
import type { Skill } from '../skills/skill';
import type { AgentWork } from '../tasks/runners/local-agent';
import type { AgentTasks } from '../tasks/task-runner';
import type { FileReadState } from './file-read-state';
import type { NeedsContext, SandboxTerms } from './needs';

/** Everything tools may use, by its scope. One for each agent; it holds what exists and nothing of its own. */
export interface ToolEnvironment {
  readonly services: ToolServices;
  readonly session: ToolSession;
  readonly agent: ToolAgent;
}

/** The services of the process that tools may use. */
export interface ToolServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly programs: Programs;
  readonly locks: Locks;
  readonly terminals: Terminals;
  readonly web: Web;
  readonly pdfs: Pdfs;
  /** Takes shell lines apart; loaded at the first one. */
  readonly parser: ShellParser;
  /** The user's home folder. */
  readonly home: string;
  /** The shell that commands run in, e.g. `/bin/bash`. */
  readonly shell: string;
}

/** The part of a session that tools may use. */
export interface ToolSession {
  readonly id: string;
  /** The project folder, as a real path. */
  readonly project: string;
  /** The session's own folder, for saved results and task output. */
  readonly folder: string;
  readonly sandbox: CommandSandbox;
  /** The environment for shell commands, secrets removed. */
  shellEnv(): Promise<Readonly<Record<string, string>>>;
  /** Tells whether a user trusts the project folder, so that what it names may run. */
  trusted(): boolean;
  /** Returns the project folder and what `--add-dir` added, real paths. */
  workingDirectories(): readonly string[];
  /** Tells whether an allow rule names this very host, so that it may be one of the local network. */
  mayReachPrivate(host: string): boolean;
}

/** The part of an agent that its tools may use. */
export interface ToolAgent {
  readonly reads: FileReadState;
  /** The working directory of shell calls; absolute, always inside the allowed directories. */
  readonly cwd: { get(): string; set(path: string): void };
  /** The worktree that its shell stays in; null: none. Absolute. */
  readonly worktree: { get(): string | null; set(path: string | null): void };
  /** The permission mode. Setting it changes it for the session. */
  readonly mode: { get(): PermissionMode; set(mode: PermissionMode): void };
  /** Its background tasks. */
  readonly tasks: AgentTasks;
  /** Returns the todos, as the last call that set them left them. */
  todos(): readonly TodoItem[];
  /** Returns the plan that the user approved last; null when there is none. */
  plan(): string | null;
  /** Returns a test for files (real paths) that a rule hides from searches. Take it once a search. */
  hiddenFiles(): (realPath: string) => boolean;
  /** Tells whether a rule hides any file. */
  hidesFiles(): boolean;
  /** Tells whether its model takes PDF documents. */
  takesPdf(): boolean;
  /** The tools that the model has to look for. */
  readonly deferredTools: DeferredTools;
  /** Asks a model something beside the conversation. */
  readonly ask: AskModel;
  /** Starts sub-agents; null for an agent that may start none. */
  readonly agents: AgentSpawner | null;
  /** The skills it put to use. */
  readonly skills: UsedSkills;
}

/** A skill that was put to use, with everything filled in. */
export interface UsedSkill {
  readonly name: string;
  /** The folder of its own files. */
  readonly folder: string;
  readonly text: string;
  /** The part of the text in which `@file` is a mention. */
  readonly mentions: string;
}

/** The skills that an agent put to use. */
export interface UsedSkills {
  /** Puts one to use: what it allows and asks for holds until the query ends, and its text waits to be told. */
  use(skill: Skill, text: string, mentions: string): void;
  /** Returns those whose text the model was not told yet, oldest first. */
  waiting(): readonly UsedSkill[];
  /** Notes that the first `count` of those were told. */
  told(count: number): void;
  /** Returns the last few, oldest first. */
  recent(): readonly UsedSkill[];
}

/** One call's surroundings. */
export interface ToolContext extends ToolEnvironment {
  readonly callId: string;
  /** The requests that the permission was given for: exactly these may be used, nothing that took their place since. */
  readonly decided: readonly PermissionRequest[];
  readonly signal: AbortSignal;
  /** Resolves when the user moves this call to the background. Never rejects. */
  readonly backgroundRequested: Promise<void>;
  /** Asks the user and waits for the answer; a denial when the call is cancelled. Null where nobody can be asked. */
  readonly askUser: AskUser | null;
}

/** Puts something before the user. */
export type AskUser = (subject: ApprovalSubject) => Promise<ApprovalAnswer>;

/** A command inside, ready to be started. */
interface EnteredCommand extends SandboxedCommand {
  /** The environment to start it with. */
  readonly env: Readonly<Record<string, string>>;
}

/** The sandbox for shell commands, as the tools of one session see it. */
export interface CommandSandbox {
  /** Returns what holds for commands of this session; null when they are not put inside (not wanted, or there is none). */
  terms(): Promise<SandboxTerms | null>;
  /** Puts a command inside; a failure means it must not run. `argv` is given the folder for temporary files. */
  enter(
    command: {
      readonly callId: string;
      readonly argv: (temp: string) => readonly string[];
      readonly text: string;
      /** The environment it would have outside. */
      readonly env: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<Result<EnteredCommand>>;
  /** Lets it out when its terminal ends, and tells the user what was not let through: for commands nobody waits for. */
  follow(command: SandboxedCommand, exited: Promise<TerminalExit>): void;
}

/** A tool as searches and listings show it. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  /** Further words by which searches find it. */
  readonly searchHint?: string;
}

/** The tools of an agent whose definitions are sent only once they were found. */
export interface DeferredTools {
  /**
   * Finds some, best first, at most `limit`; the next request offers them. `select:A,B` takes them by name; other words
   * are looked for in names, descriptions and hints.
   */
  search(query: string, limit: number): readonly ToolSummary[];
  /** Returns the names of what will bring more tools soon, e.g. servers that connect. */
  pending(): readonly string[];
  /** Calls back when either changed; returns a function that ends it. */
  onChange(listener: () => void): () => void;
}

/** The work that a call gives to a sub-agent. */
export interface SubAgentRequest {
  readonly callId: string;
  /** The name of its definition. */
  readonly type: string;
  /** The work in a few words. */
  readonly title: string;
  readonly prompt: string;
  /** The name that messages reach it by, besides its title. */
  readonly name?: string;
  /** Absent: its definition's, else its parent's. */
  readonly effort?: string;
  /** A user's or model's name for the model that is to answer; absent: the definition's. */
  readonly model?: string;
  /** It works in a worktree of its own, also where its definition does not say so. */
  readonly isolated?: boolean;
  /** Nobody waits for it. */
  readonly background?: boolean;
  /** The skill that it carries out: what that allows, denies and asks for holds for it. */
  readonly skill?: Skill;
}

/** The message that a call gives to a sub-agent which has ended. */
export type ResumeRequest = Pick<SubAgentRequest, 'callId' | 'prompt'> & {
  readonly agentId: string;
};

/** Progress of a sub-agent, as its card shows it. */
export type SubAgentProgress = Omit<Extract<ToolView, { kind: 'agent' }>, 'kind'>;

/** A sub-agent at work. It goes on until its answer, or until it is stopped. */
export interface SubAgentWork extends AgentWork {
  readonly agentId: string;
  progress(): SubAgentProgress;
  /** Calls back when there is progress; returns a function that ends it. */
  onProgress(listener: () => void): () => void;
}

/** A sub-agent of an agent, by the names that messages can use. */
interface KnownSubAgent {
  readonly agentId: string;
  readonly title: string;
  /** Null when it does not work now. */
  readonly work: SubAgentWork | null;
}

/** Starts sub-agents for the calls of one agent. */
export interface AgentSpawner {
  /** Returns the kinds that can be started now, sorted by name. */
  kinds(): readonly {
    readonly name: string;
    readonly description: string;
    readonly background?: boolean;
  }[];
  /** Sub-agents may go on without the call that starts them. */
  readonly mayGoOn: boolean;
  /** Starts one, once fewer than five work; the error is for the model. An abort ends the wait. Never rejects. */
  start(request: SubAgentRequest, signal: AbortSignal): Promise<Result<SubAgentWork, string>>;
  /** Takes up again one that has ended, with all it knows. Never rejects. */
  resume(request: ResumeRequest, signal: AbortSignal): Promise<Result<SubAgentWork, string>>;
  /** Finds one by its id, or the newest of a name or a title; null when this agent started none such. */
  find(name: string): KnownSubAgent | null;
  /** Returns whether one that is started now has to wait for another to end. */
  isFull(): boolean;
}

/** Returns what the needs of an agent's calls depend on, as it stands now. */
export const needsContext = ({ services, session, agent }: ToolEnvironment): NeedsContext => ({
  cwd: agent.cwd.get(),
  home: services.home,
  files: services.files,
  parser: services.parser,
  trusted: session.trusted(),
  sandboxTerms: session.sandbox.terms,
});
