import type { Message } from '../../shared/message';
import type { PermissionRule } from '../../shared/permission';
import { placeCacheBreakpoints } from '../engine/messages/cache';
import { createNormalizer } from '../engine/messages/normalizer';
import type { ModelRequest } from '../engine/model/model-client';
import type { Clock, Files, Programs } from '../engine/ports';
import { buildSystemPrompt } from '../engine/prompt/build';
import type { OutputStyle } from '../engine/prompt/built-in-styles';
import { gitSnapshot, readGitBranch } from '../engine/prompt/git-facts';
import {
  loadFolderMemory,
  loadMemory,
  type MemoryFile,
  type MemoryPlaces,
} from '../engine/prompt/memory-files';
import { chooseStyle } from '../engine/prompt/output-styles';
import { createSectionRegistry, type NamedText } from '../engine/prompt/section';
import { type SessionFacts, sessionSections } from '../engine/prompt/session-sections';
import { createToolSchemas } from '../engine/prompt/tool-schema';
import { userContextText } from '../engine/prompt/user-context';
import type { SessionConfig } from '../engine/query-engine/options';
import type { AnyTool } from '../engine/tools/tool';
import { type ToolShelf, undenied } from '../engine/tools/tool-shelf';

/** What prompts are made of in a process. */
export interface PromptWorld {
  readonly files: Files;
  readonly programs: Programs;
  readonly clock: Clock;
  readonly home: string;
  /** `CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configDir: string;
  /** The managed CLAUDE.md of this platform; null where it has none. */
  readonly managedMemory: string | null;
  readonly platform: string;
  readonly shell: string;
  readonly version: string;
}

/** What the prompts of one session are made of. */
export interface PromptOptions {
  readonly project: string;
  /** The last message of the history when the session was resumed; null for a new one. */
  readonly resumedAfter: string | null;
  readonly trusted: () => boolean;
  readonly additionalDirectories: () => readonly string[];
  /** What the model is offered, as far as no rule denies it altogether. */
  readonly shelf: ToolShelf<AnyTool>;
  /** The rules of the moment: tools that are denied altogether are not offered to the model. */
  readonly rules: () => readonly PermissionRule[];
  /** The output tokens to ask of a model. */
  readonly maxTokens: (model: string) => number;
  /** Nobody is there to answer. */
  readonly unattended: boolean;
  readonly systemPrompt?: string | undefined;
  readonly appendSystemPrompt?: string | undefined;
  /** A prompt of a few lines instead of the default one. */
  readonly simple?: boolean | undefined;
  /** The language to answer in, when the person chose one. */
  readonly language?: string | undefined;
  /** Name of the style answers are written in, when the person chose one. */
  readonly outputStyle?: string | undefined;
  /** The model's own folder, in which it needs no permission. */
  readonly scratchFolder?: string | undefined;
  /** Hears which memory files the session began with. */
  readonly onMemory?: ((files: readonly MemoryFile[]) => void) | undefined;
  /** Tells the person that something of the prompt is not as they wished. */
  readonly onProblem?: ((text: string) => void) | undefined;
}

/** Makes the requests of one session: prompt, tools, context and normalised history. */
export interface RequestBuilder {
  build(
    history: readonly Message[],
    config: SessionConfig,
    signal: AbortSignal,
  ): Promise<ModelRequest>;
  /** What the system prompt of the last request was joined from, so that a change can be named. */
  sections(): readonly NamedText[];
  /** The memory files of a folder inside the project, for when something in it was read; none until it is trusted. */
  folderMemory(folder: string): Promise<readonly MemoryFile[]>;
}

/** Creates the builder. What must not change within a session is computed at its first request. */
export function createRequestBuilder(world: PromptWorld, options: PromptOptions): RequestBuilder {
  let model = '';
  let chosen: Promise<OutputStyle> | null = null;
  const style = (): Promise<OutputStyle> => {
    chosen ??= styleFor(world, options);
    return chosen;
  };
  const facts = factsOf(world, options, () => model);
  const registry = createSectionRegistry(
    sessionSections({ ...facts, outputStyle: async () => (await style()).text }),
  );
  const schemas = createToolSchemas();
  const normalize = createNormalizer();
  const { resumedAfter } = options;
  let context: Promise<string> | null = null;
  let freshFrom: string | undefined;
  let sections: readonly NamedText[] = [];

  /**
   * Thinking made before a resume is bound to a prompt that may have changed since. Null: nothing is newer, as when the
   * older part of the history is to be summarised.
   */
  const firstFresh = (history: readonly Message[]): string | null | undefined => {
    if (resumedAfter === null) return undefined;
    const before = history.findIndex((message) => message.id === resumedAfter);
    if (before >= 0) freshFrom ??= history[before + 1]?.id;
    return before < 0 ? null : (freshFrom ?? null);
  };

  return {
    build: async (history, config, signal) => {
      context ??= userContext(world, options);
      model = config.model;
      const [system, opening] = await Promise.all([
        buildSystemPrompt(
          {
            registry,
            custom: options.systemPrompt,
            append: options.appendSystemPrompt,
            simple: options.simple,
            withoutCoding: !(await style()).keepsCoding,
          },
          signal,
        ),
        context,
      ]);
      sections = system.sections;
      const fresh = firstFresh(history);
      const parts = placeCacheBreakpoints({
        system: system.texts,
        tools: schemas.definitions(undenied(options.shelf.offered(), options.rules())),
        messages: normalize(history, {
          model: config.model,
          context: opening,
          ...(fresh === undefined ? {} : { freshFrom: fresh }),
        }),
      });
      return {
        ...parts,
        model: config.model,
        maxTokens: options.maxTokens(config.model),
        effort: config.effort,
        ...previousAnswer(history),
      };
    },
    sections: () => sections,
    folderMemory: async (folder) =>
      options.trusted() && options.simple !== true
        ? loadFolderMemory(world.files, memoryPlaces(world, options), folder)
        : [],
  };
}

const previousAnswer = (history: readonly Message[]): Pick<ModelRequest, 'previousMessageId'> => {
  const last = history.findLast((message) => message.role === 'assistant');
  return last === undefined ? {} : { previousMessageId: last.id };
};

const factsOf = (
  world: PromptWorld,
  options: PromptOptions,
  model: () => string,
): SessionFacts => ({
  cwd: options.project,
  addedDirectories: options.additionalDirectories,
  platform: world.platform,
  shell: world.shell,
  appVersion: world.version,
  unattended: options.unattended,
  ...(options.language === undefined ? {} : { language: options.language }),
  scratchpad: async () => {
    const folder = options.scratchFolder;
    if (folder === undefined) return null;
    const made = await world.files.makeDirectory(folder);
    return made.ok ? folder : null;
  },
  model,
  gitSnapshot: async (stop) =>
    options.trusted() ? gitSnapshot(world.programs, options.project, stop) : null,
});

/** The style of a session. A simple prompt has none. */
async function styleFor(world: PromptWorld, options: PromptOptions): Promise<OutputStyle> {
  const { style, problem } = await chooseStyle(
    world.files,
    { project: options.project, userFolder: world.configDir, includeProject: options.trusted() },
    options.simple === true ? undefined : options.outputStyle,
  );
  if (problem !== null) options.onProblem?.(problem);
  return style;
}

const memoryPlaces = (world: PromptWorld, options: PromptOptions): MemoryPlaces => ({
  cwd: options.project,
  home: world.home,
  userFolder: world.configDir,
  ...(world.managedMemory === null ? {} : { managedFile: world.managedMemory }),
  includeProject: options.trusted(),
});

async function userContext(world: PromptWorld, options: PromptOptions): Promise<string> {
  const [{ files: memory }, gitBranch] = await Promise.all([
    options.simple === true ? { files: [] } : loadMemory(world.files, memoryPlaces(world, options)),
    readGitBranch(world.files, options.project),
  ]);
  options.onMemory?.(memory);
  return userContextText({ memory, cwd: options.project, gitBranch, now: world.clock.now() });
}
