import { type AgentEvent, MAIN_AGENT, type QueryLimits } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { Decision } from '../../../shared/permission';
import { DEMO_MODEL, type SettingsProblem } from '../../../shared/settings';
import { problemLine } from '../../../shared/settings-problem';
import type { AgentState } from '../agent-state';
import { BUILT_IN_AGENTS } from '../agents/definitions';
import { restoreAfterCompaction } from '../attachments/after-compaction';
import type { Attachment, Collector, QueryProgress } from '../attachments/attachment';
import { createChangedFiles } from '../attachments/changed-files';
import { createCollection, type Missed } from '../attachments/collect';
import {
  AGENT_WORDS,
  createDefinitionListing,
  SKILL_WORDS,
} from '../attachments/definition-listing';
import { createFaultNews, type FaultSource } from '../attachments/fault-news';
import { createLimitNotices } from '../attachments/limits';
import { createMentions } from '../attachments/mentions';
import { createModeReminders } from '../attachments/mode-reminders';
import { createNestedMemory, foldersBelow } from '../attachments/nested-memory';
import { createNoteFolder, createRelevantNotes } from '../attachments/notes';
import { createQueuedPromptNotes } from '../attachments/queued-prompts';
import { createRestartNote } from '../attachments/restart-note';
import { createServerPromptTexts } from '../attachments/server-prompt-texts';
import { createSkillSuggestions } from '../attachments/skill-suggestions';
import { createSkillTexts } from '../attachments/skill-texts';
import { createStyleChanges, type WishedStyle } from '../attachments/style-changes';
import { createTaskNews } from '../attachments/task-news';
import { createTodoReminders } from '../attachments/todo-reminders';
import { createToolListing } from '../attachments/tool-listing';
import type { Restored } from '../context/kept-words';
import { lastAnswer } from '../last-answer';
import type { ServerResources } from '../mcp/resource-tools';
import type { ServerPrompts } from '../mcp/server-prompts';
import { sinceBoundary } from '../messages/normalize';
import { relativeInside } from '../permissions/paths';
import type { PermissionRequest } from '../permissions/request';
import type { MemoryFile } from '../prompt/memory-loader';
import type { Note } from '../prompt/notes';
import { listedSkills } from '../skills/skill-store';
import type { ToolCatalogue } from '../tools/catalogue';
import type { ToolEnvironment } from '../tools/environment';
import type { Definitions } from './definitions';

/** The parts that the attachments of one agent are made of. */
export interface AgentAttachmentsOptions {
  readonly environment: ToolEnvironment;
  readonly state: AgentState;
  readonly catalogue: Pick<ToolCatalogue, 'deferred' | 'names' | 'pending'>;
  readonly limits: () => QueryLimits;
  /** Returns the spend that counts against the limit, in dollars. */
  readonly spentUsd: () => number;
  /** Of the model in use. Tokens. */
  readonly windowTokens: () => number;
  readonly decide: (request: PermissionRequest) => Decision;
  /** The agent was resumed and ran shell commands before. */
  readonly usedShell: boolean;
  /** The way to plan in plan mode, in the place of the usual one. */
  readonly planInstructions?: string | undefined;
  /** Agents, skills and commands that files define. */
  readonly definitions: Pick<Definitions, 'agents' | 'lookIn' | 'problems' | 'settled' | 'skills'>;
  /** The resources of tool servers. */
  readonly resources: ServerResources;
  /** The prompts they write for the model, when a user asks. */
  readonly serverPrompts: ServerPrompts;
  /** The faults that language servers see in what agents change. */
  readonly languages: FaultSource;
  readonly folderMemory: (folder: string) => Promise<readonly MemoryFile[]>;
  /** Folders whose memory counts without anything being read there. Absolute. */
  readonly memoryRoots: ReadonlySet<string>;
  readonly rulesFor: (files: readonly string[]) => Promise<readonly MemoryFile[]>;
  /** The notes about the project, newest first. */
  readonly notes: () => Promise<readonly Note[]>;
  /** Returns the folder that notes are kept in; null where none count. */
  readonly noteFolder: () => string | null;
  /** Returns the style that answers are to have now, where that may change in the session; else null. */
  readonly style: (() => WishedStyle) | null;
  readonly styleText: (outputStyle: string | undefined) => Promise<string>;
  /** The model is to take notes of its own accord. */
  readonly takesNotes: () => boolean;
}

/** The facts that the model is told between turns. */
export interface AgentAttachments {
  collect(history: readonly Message[], signal: AbortSignal): Promise<readonly Attachment[]>;
  /** Collects what the model must not lose when a summary replaces the older part of the conversation. */
  restore(
    gone: readonly Message[],
    kept: readonly Message[],
    signal: AbortSignal,
  ): Promise<readonly Restored[]>;
  /** Returns whether a task has news that the model was not told yet. */
  hasNews(): boolean;
  /** Stops what goes on for a query that has ended. */
  endQuery(): void;
}

/** Creates the collectors of an agent, in the order in which the model reads what they find. */
export function createAgentAttachments(options: AgentAttachmentsOptions): AgentAttachments {
  const { environment, state } = options;
  const { files, clock } = environment.services;
  const { project } = environment.session;
  const { reads, hiddenFiles } = environment.agent;
  const news = createTaskNews(environment.agent.tasks);
  const notes = createRelevantNotes({
    ...{ files, clock, hiddenFiles, list: options.notes, ask: environment.agent.ask },
    isAllowed: () => state.id === MAIN_AGENT && state.config().model !== DEMO_MODEL,
  });
  const collectors: readonly Collector[] = [
    createMentions({
      ...{ environment, decide: options.decide, asWritten: state.asWritten },
      resources: options.resources,
      agents: () => environment.agent.agents?.kinds().map(({ name }) => name) ?? [],
    }),
    ...(state.id === MAIN_AGENT ? [createServerPromptTexts(options.serverPrompts)] : []),
    createSkillTexts({ environment, decide: options.decide, skills: environment.agent.skills }),
    createNestedMemory({
      ...{ project, reads, hiddenFiles },
      folderMemory: options.folderMemory,
      roots: options.memoryRoots,
      rulesFor: options.rulesFor,
    }),
    notes,
    ...(state.id === MAIN_AGENT ? [createNoteFolder(options.noteFolder, options.takesNotes)] : []),
    createChangedFiles({ files, clock, reads, hiddenFiles }),
    createFaultNews(options.languages, state.id, environment),
    news.collector,
    createRestartNote(project, options.usedShell, environment.agent.tasks.list),
    createToolListing(options.catalogue),
    ...definitionListings(options),
    createTodoReminders(environment.agent.todos),
    createModeReminders(state.id === MAIN_AGENT ? 'user' : 'agent', options.planInstructions),
    ...(options.style === null ? [] : [createStyleChanges(options.style, options.styleText)]),
    createLimitNotices(),
    createQueuedPromptNotes(state.id === MAIN_AGENT ? 'user' : 'agent'),
  ];
  const collection = createCollection(collectors, clock);
  const tellMissed = createMissedNotices(state.record);
  return {
    hasNews: news.waits,
    endQuery: notes.end,
    restore: async (_gone, kept, signal) =>
      restoreAfterCompaction(kept, { environment, decide: options.decide }, signal),
    collect: async (history, signal) => {
      const context = {
        history: sinceBoundary(history),
        mode: state.config().mode,
        windowTokens: options.windowTokens(),
        query: queryProgress(options),
      };
      const found = await collection.collect(context, signal);
      tellMissed(found.missed);
      return found.attachments;
    },
  };
}

/** Creates the listings of what people define in files, as far as the agent has the tools for it. */
function definitionListings(options: AgentAttachmentsOptions): readonly Collector[] {
  const { environment, catalogue, definitions, state } = options;
  const { agents, reads } = environment.agent;
  const tell = createProblemNotices(state.record);
  const tellProblems = () => {
    if (state.id === MAIN_AGENT) tell(definitions.problems());
  };
  const { project } = environment.session;
  type Seen = ReturnType<typeof reads.recent>;
  const foldersOf = lastAnswer((seen: Seen) =>
    foldersBelow(
      project,
      seen.map(([path]) => path),
    ),
  );
  const filesOf = lastAnswer((seen: Seen) =>
    seen.flatMap(([path]) => relativeInside(project, path, false) ?? []),
  );
  const settled = () => {
    // Skills of a subfolder are known once something in it was read.
    const nested = definitions.lookIn(foldersOf(reads.recent(WATCHED_FILES)));
    const look = (nested ?? definitions.settled())?.then(tellProblems) ?? null;
    if (look === null) tellProblems();
    return look;
  };
  const offers = (tool: string) => catalogue.names().includes(tool);
  const described = new Set(BUILT_IN_AGENTS);
  const kinds = createDefinitionListing({
    name: 'kinds of sub-agents',
    words: AGENT_WORDS,
    settled,
    items: () => {
      const own = definitions.agents.list().filter((kind) => !described.has(kind));
      return own.length > 0 && offers('Agent') ? own : [];
    },
  });
  const items = () => {
    const known = definitions.skills.list();
    if (known.length === 0 || !offers('Skill')) return [];
    return listedSkills(known, filesOf(reads.recent(WATCHED_FILES)));
  };
  const skills = [
    createDefinitionListing({ name: 'skills', words: SKILL_WORDS, settled, items }),
    createSkillSuggestions(items),
  ];
  return agents === null ? skills : [kinds, ...skills];
}

/** Files whose paths can bring skills into the listing: those the model saw last. */
const WATCHED_FILES = 100;

/** Returns how far the running query has come. The money is the whole run's, like its limit. */
function queryProgress({ state, limits, spentUsd }: AgentAttachmentsOptions): QueryProgress {
  const { queryId = '', promptId = null, turn = 0 } = state.transcript().query ?? {};
  return { queryId, promptId, turns: turn, spentUsd: spentUsd(), ...limits() };
}

/** Tells the user once of each thing in their definitions that is not used as written. */
function createProblemNotices(record: (event: AgentEvent) => unknown) {
  const told = new Set<string>();
  return (problems: readonly SettingsProblem[]): void => {
    const texts = problems.map(problemLine).filter((text) => !told.has(text));
    for (const text of texts) told.add(text);
    const more = texts.length - MAX_TOLD;
    const rest =
      more > 0 ? [`${more} more problems of definitions; lathe doctor --trust names them.`] : [];
    for (const text of [...texts.slice(0, MAX_TOLD), ...rest])
      record({ type: 'notice', level: 'warning', code: 'definition_problem', text });
  };
}

/** Problems of definitions that are told one by one. */
const MAX_TOLD = 20;

/** Tells the user once per kind that the model works without something. */
function createMissedNotices(record: (event: AgentEvent) => unknown) {
  const told = new Set<string>();
  return (missed: readonly Missed[]): void => {
    for (const { name, why } of missed.filter((one) => !told.has(one.name))) {
      told.add(name);
      const text = `Could not tell the model about ${name}: ${why}.`;
      record({ type: 'notice', level: 'warning', code: 'attachment_missed', text });
    }
  };
}
