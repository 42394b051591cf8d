import type { Message } from '../../../shared/message';
import type { PermissionRule } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { problemLine } from '../../../shared/settings-problem';
import type { AgentConfig } from '../agent-state';
import { textTokens } from '../context/tokens';
import type { ServerInstructions } from '../mcp/mcp-servers';
import { boundaryText } from '../messages/api-blocks';
import { placeCacheBreakpoints } from '../messages/cache';
import { clearedAt, clearingOf, hasUncleared } from '../messages/clearing';
import { createNormalizer, sinceBoundary } from '../messages/normalize';
import { unclearedOf } from '../messages/projection';
import { factsOf } from '../model/catalog';
import type { ModelRequest } from '../model/model-client';
import { buildSystemPrompt, type PromptTexts, type SystemPrompt } from '../prompt/build';
import type { OutputStyle } from '../prompt/built-in-styles';
import { gitSnapshot, readGitBranch } from '../prompt/git-facts';
import { loadDueRules, loadFolderMemory, loadMemory } from '../prompt/memory-files';
import type { LoadedMemory, MemoryFile } from '../prompt/memory-loader';
import { type MemoryPlaces, memoryPlaces } from '../prompt/memory-places';
import { rulesDue } from '../prompt/memory-rules';
import { createNoteList, type Note } from '../prompt/notes';
import { chooseStyle } from '../prompt/output-styles';
import { approvedImports } from '../prompt/outside-imports';
import { createSectionRegistry, type NamedText } from '../prompt/section';
import { type SessionFacts, sessionSections } from '../prompt/session-sections';
import { createToolSchemas } from '../prompt/tool-schema';
import { fitMemory, listDirectory, userContextText } from '../prompt/user-context';
import type { Services } from '../services';
import type { SettingPlace } from '../settings/effective';
import type { Plugin } from '../settings/plugins/read-plugin';
import type { Attribution } from '../settings/schema';
import { atPlace } from '../settings/value-places';
import type { AnyTool } from '../tools/tool';

/** The services that prompts are made of. */
type PromptServices = Pick<
  Services,
  | 'files'
  | 'programs'
  | 'clock'
  | 'home'
  | 'latheHome'
  | 'configDir'
  | 'managedMemory'
  | 'platform'
  | 'shell'
  | 'version'
  | 'system'
  | 'runtime'
>;

/** The parts that the prompts of one agent are made of. */
export interface PromptOptions {
  readonly project: string;
  /** The folder whose configuration counts. Default: the project. */
  readonly configRoot?: string | undefined;
  /** Returns true when what that folder says counts. Default: as the project is trusted. */
  readonly rootTrusted?: () => boolean | undefined;
  /** The folder it works in: the project, or a worktree of it. */
  readonly folder: string;
  /** The ids of the messages that the session was resumed with; none for a new one. */
  readonly resumedWith: ReadonlySet<string>;
  readonly trusted: () => boolean;
  /** The places whose memory files count beside the managed one; undefined: all. */
  readonly sources: () => MemoryPlaces['sources'];
  /** Globs of memory files that do not count. */
  readonly memoryExcludes: () => readonly string[];
  /** The rules of permissions, which hold for what memory files import. */
  readonly rules: () => readonly PermissionRule[];
  /** False: notes of agents do not count. */
  readonly autoMemory: () => boolean;
  readonly additionalDirectories: () => readonly string[];
  /** The tools that the model is offered now. */
  readonly tools: () => readonly AnyTool[];
  /** The instructions of the servers whose tools it can use. */
  readonly serverInstructions: () => readonly ServerInstructions[];
  /** The output tokens to ask of a model. */
  readonly maxTokens: (model: string) => number;
  /** Nobody is there to answer. */
  readonly unattended: boolean;
  /** Tokens that the API counts down for the model. */
  readonly taskBudget?: number;
  /** A simple prompt comes without memory files and output style. */
  readonly prompts: PromptTexts;
  readonly plugins: () => readonly Plugin[];
  /** The language to answer in, when the user chose one. */
  readonly language?: string | undefined;
  /** The texts that end what it commits and proposes. */
  readonly attribution?: Attribution | undefined;
  /** Name of the style answers are written in, when the user chose one. */
  readonly outputStyle?: string | undefined;
  /** Returns the place of settings that names it, where one does. */
  readonly stylePlace?: () => SettingPlace | undefined;
  /** The model's own folder, in which it needs no permission. */
  readonly scratchFolder?: string | undefined;
  /** Hears which memory files the session began with. */
  readonly onMemory?: ((files: readonly MemoryFile[]) => void) | undefined;
  /** Tells the user that something of the prompt is not as they wished. */
  readonly onProblem?: ((text: string) => void) | undefined;
}

/** Makes the requests of one agent: prompt, tools, context and normalised history. */
export interface RequestBuilder {
  build(
    history: readonly Message[],
    config: AgentConfig,
    signal: AbortSignal,
  ): Promise<ModelRequest>;
  /** Returns the sections that the system prompt of the last request was joined from, so that a change can be named. */
  sections(): readonly NamedText[];
  /** The memory files of a folder inside the project, for when something in it was read; none until it is trusted. */
  folderMemory(folder: string): Promise<readonly MemoryFile[]>;
  /** The rules that are for one of these files, by their absolute paths. */
  rulesFor(files: readonly string[]): Promise<readonly MemoryFile[]>;
  /** The notes that a prompt may need, newest first. */
  notes(): Promise<readonly Note[]>;
  /** Returns the words of an output style; empty for the usual one. */
  styleText(outputStyle: string | undefined): Promise<string>;
  /** Returns a builder for another history that sends the same prompt, opening and tools: those that `tools` has. */
  sharedWith(tools: PromptOptions['tools']): RequestBuilder;
}

/** Creates the builder. What must not change within a session is computed at its first request. */
export function createRequestBuilder(
  services: PromptServices,
  options: PromptOptions,
): RequestBuilder {
  let chosen: Promise<OutputStyle> | null = null;
  const style = (): Promise<OutputStyle> => {
    chosen ??= styleFor(services, options);
    return chosen;
  };
  const facts = sessionFacts(services, options);
  const registry = createSectionRegistry(
    sessionSections({ ...facts, outputStyle: async () => (await style()).text }),
  );
  const schemas = createToolSchemas();
  const { resumedWith } = options;
  let loaded: Promise<OpeningFacts> | null = null;
  let opened: Promise<string> | null = null;
  let apart: string | null = null;
  /** Makes the opening once, in the room that the first prompt leaves it. */
  const opening = (facts: Promise<OpeningFacts>, room: number): Promise<string> => {
    opened ??= facts.then((known) => openingText(known, room, services, options, tell));
    return opened;
  };
  const told = new Set<string>();
  /** Tells what was not told before. */
  const tell = (texts: readonly string[]) => {
    for (const text of texts.filter((one) => !told.has(one))) {
      told.add(text);
      options.onProblem?.(text);
    }
  };

  /**
   * Thinking made before a resume is bound to a prompt that may have changed since. Null: nothing is newer, as when the
   * older part of the history is to be summarised.
   */
  const firstFresh = (history: readonly Message[]): string | null | undefined => {
    if (resumedWith.size === 0) return undefined;
    // A rewind may have taken any of them out, and any that came since.
    const before = history.findLastIndex(({ id }) => resumedWith.has(id));
    return history[before + 1]?.id ?? null;
  };

  const promptOf = async (model: string, signal: AbortSignal): Promise<Prompt> => {
    loaded ??= loadOpening(services, options);
    const facts = loaded;
    let context = '';
    const system = await buildSystemPrompt(
      {
        ...options.prompts,
        registry,
        model,
        opening: async (room) => {
          context = await opening(facts, room);
          return textTokens(context);
        },
        withoutCoding: !(await style()).keepsCoding,
      },
      signal,
    );
    tell(system.cut.map((name) => `The prompt has no more room: its section "${name}" was cut.`));
    // What stands in front of the conversation never changes again: thinking is bound to it.
    apart ??= system.local;
    return { system, context: [apart, context].filter((text) => text !== '').join('\n\n') };
  };

  const rulesFor: RequestBuilder['rulesFor'] = async (paths) => {
    const { waiting = [] } = (await loaded)?.memory ?? {};
    const due = rulesDue(waiting, options.project, paths);
    if (due.length === 0) return [];
    const places = placesOf(services, options);
    const { files, problems } = await loadDueRules(services.files, places, due);
    tell(memoryLines(problems));
    return files;
  };
  const folderMemory: RequestBuilder['folderMemory'] = async (folder) => {
    if (!options.trusted() || options.prompts.simple === true) return [];
    const places = placesOf(services, options);
    const { files, problems } = await loadFolderMemory(services.files, places, folder);
    tell(memoryLines(problems));
    return files;
  };
  const notes = createNoteList(services.files, () => placesOf(services, options));
  const builderWith = (tools: PromptOptions['tools']): RequestBuilder => {
    const normalize = createNormalizer();
    const normalizeUncleared = createNormalizer();
    let sections: readonly NamedText[] = [];
    const build: RequestBuilder['build'] = async (history, config, signal) => {
      const { system, context } = await promptOf(config.model, signal);
      sections = system.sections;
      const fresh = firstFresh(history);
      const { model } = config;
      const rule = { model, context, ...(fresh === undefined ? {} : { freshFrom: fresh }) };
      const before = { system: system.texts, tools: schemas.definitions(tools()) };
      const parts = placeCacheBreakpoints({ ...before, messages: normalize(history, rule) });
      const clearing = () => {
        const messages = normalizeUncleared(history.map(unclearedOf), rule);
        const found = clearingOf(history, messages);
        if (found === null) return null;
        const at = clearedAt(messages, found);
        return { ...found, messages: placeCacheBreakpoints({ ...before, messages }, at).messages };
      };
      return {
        ...parts,
        model: config.model,
        maxTokens: options.maxTokens(config.model),
        effort: config.effort,
        ...(config.thinking === null ? {} : { thinking: config.thinking }),
        systemFor: async (model, stop) =>
          placeCacheBreakpoints({ ...parts, system: (await promptOf(model, stop)).system.texts })
            .system,
        ...(options.taskBudget === undefined ? {} : { taskBudget: { total: options.taskBudget } }),
        ...(hasUncleared(history) ? { clearing } : {}),
        ...previousAnswer(history),
        ...apiSummary(history),
      };
    };
    const styleText = async (outputStyle: string | undefined) =>
      (await styleFor(services, { ...options, outputStyle })).text;
    const shared = { sharedWith: builderWith, rulesFor, folderMemory, notes, styleText };
    return { build, sections: () => sections, ...shared };
  };
  return builderWith(options.tools);
}
const placesOf = (services: PromptServices, options: PromptOptions) =>
  memoryPlaces(services, options.project, {
    includeProject: options.trusted(),
    sources: options.prompts.omitsMemory === true ? [] : options.sources(),
    excludes: options.memoryExcludes(),
    rules: options.rules(),
    autoMemory: options.autoMemory(),
    approved: () => approvedImports(services.files, services.latheHome, options.project),
  });

const previousAnswer = (history: readonly Message[]): Pick<ModelRequest, 'previousMessageId'> => {
  const last = history.findLast((message) => message.role === 'assistant');
  return last === undefined ? {} : { previousMessageId: last.id };
};

/** Returns the block of the newest summary, where the API wrote it. */
function apiSummary(history: readonly Message[]): Pick<ModelRequest, 'summary'> {
  const [first] = sinceBoundary(history);
  if (first?.role !== 'boundary' || first.block === undefined) return {};
  return { summary: { text: boundaryText(first.summary), block: first.block } };
}

const sessionFacts = (services: PromptServices, options: PromptOptions): SessionFacts => ({
  cwd: options.folder,
  addedDirectories: options.additionalDirectories,
  platform: services.platform,
  shell: services.shell,
  appVersion: services.version,
  system: services.system,
  runtime: services.runtime,
  tools: () => options.tools().map(({ name }) => name),
  serverInstructions: options.serverInstructions,
  knowledgeUntil: (model) => factsOf(model)?.knowledgeUntil ?? null,
  directory: async (stop) =>
    options.trusted() && options.prompts.simple !== true
      ? listDirectory(services.files, options.folder, stop)
      : null,
  unattended: options.unattended,
  ...(options.language === undefined ? {} : { language: options.language }),
  ...(options.attribution === undefined ? {} : { attribution: options.attribution }),
  scratchpad: async () => {
    const folder = options.scratchFolder;
    if (folder === undefined) return null;
    const made = await services.files.makeDirectory(folder);
    return made.ok ? folder : null;
  },
  gitSnapshot: async (stop) =>
    options.trusted() ? gitSnapshot(services, options.folder, stop) : null,
});

/** Chooses the style of a session. A simple prompt has none. */
async function styleFor(services: PromptServices, options: PromptOptions): Promise<OutputStyle> {
  const isSimple = options.prompts.simple === true;
  const { style, problem } = await chooseStyle(
    services.files,
    {
      project: options.configRoot ?? options.project,
      userFolder: services.configDir,
      includeProject: options.rootTrusted?.() ?? options.trusted(),
      plugins: isSimple ? [] : options.plugins(),
    },
    isSimple ? undefined : options.outputStyle,
  );
  if (problem !== null)
    options.onProblem?.(atPlace(options.stylePlace?.(), 'outputStyle', problem));
  return style;
}

/** Problems of memory files that are told of one by one. */
const MAX_TOLD = 20;

/** A system prompt, and the text in front of the first message that goes with it. */
interface Prompt {
  readonly system: SystemPrompt;
  readonly context: string;
}

/** Returns the problems of memory files as lines; of very many the first, and how many more there are. Pure. */
function memoryLines(problems: readonly SettingsProblem[]): readonly string[] {
  const more = problems.length - MAX_TOLD;
  const rest = `${more} more entries of memory files are not used as written; lathe doctor --trust names them.`;
  return [...problems.slice(0, MAX_TOLD).map(problemLine), ...(more > 0 ? [rest] : [])];
}

/** The facts of the opening, before they are fitted into their room. */
interface OpeningFacts {
  readonly memory: LoadedMemory;
  readonly gitBranch: string | null;
}

async function loadOpening(
  services: PromptServices,
  options: PromptOptions,
): Promise<OpeningFacts> {
  const [memory, gitBranch] = await Promise.all([
    options.prompts.simple === true
      ? { files: [], problems: [] }
      : loadMemory(services.files, placesOf(services, options)),
    readGitBranch(services.files, options.folder),
  ]);
  return { memory, gitBranch };
}

/** Returns the text in front of the first message, and tells of memory that was left out. */
function openingText(
  { memory: whole, gitBranch }: OpeningFacts,
  room: number,
  services: PromptServices,
  options: PromptOptions,
  tell: (texts: readonly string[]) => void,
): string {
  const { files: memory, problems } = fitMemory(whole, room);
  tell(memoryLines(problems));
  options.onMemory?.(memory);
  return userContextText({ memory, cwd: options.folder, gitBranch, now: services.clock.date() });
}
