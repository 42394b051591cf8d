import type { AgentEvent } from '../../shared/agent-event';
import type { Message } from '../../shared/message';
import type { Decision, PermissionMode } from '../../shared/permission';
import { restoreAfterCompaction } from '../engine/attachments/after-compaction';
import type { Attachment, Collector, QueryProgress } from '../engine/attachments/attachment';
import { createChangedFiles } from '../engine/attachments/changed-files';
import { createCollection, type Missed } from '../engine/attachments/collect';
import { createLimitNotices } from '../engine/attachments/limits';
import { createMentions } from '../engine/attachments/mentions';
import { createModeReminders } from '../engine/attachments/mode-reminders';
import { createNestedMemory } from '../engine/attachments/nested-memory';
import { createQueuedPromptNotes } from '../engine/attachments/queued-prompts';
import { createRestartNote } from '../engine/attachments/restart-note';
import { createTaskNews } from '../engine/attachments/task-news';
import { createTodoReminders } from '../engine/attachments/todo-reminders';
import type { Restored } from '../engine/context/compact-deps';
import type { EventLog } from '../engine/event-log';
import type { QueryLimits } from '../engine/loop/query-deps';
import { sinceBoundary } from '../engine/messages/normalize';
import type { PermissionRequest } from '../engine/permissions/request';
import type { MemoryFile } from '../engine/prompt/memory-files';
import type { ToolEnvironment } from '../engine/tools/tool';

/** What the attachments of one session are made of. */
export interface SessionAttachmentsOptions {
  readonly environment: ToolEnvironment;
  readonly log: Pick<EventLog, 'listen'>;
  readonly limits: QueryLimits;
  readonly mode: () => PermissionMode;
  /** Of the model in use. Tokens. */
  readonly windowTokens: () => number;
  readonly takeTaskNotifications: () => readonly string[];
  readonly decide: (request: PermissionRequest) => Decision;
  /** The session was resumed and ran shell commands before. */
  readonly usedShell: boolean;
  readonly folderMemory: (folder: string) => Promise<readonly MemoryFile[]>;
  readonly record: (event: AgentEvent) => unknown;
}

/** The facts that the model is told between turns. */
export interface SessionAttachments {
  collect(history: readonly Message[], signal: AbortSignal): Promise<readonly Attachment[]>;
  /** What the model must not lose when a summary replaces the older part of the conversation. */
  restore(
    gone: readonly Message[],
    kept: readonly Message[],
    signal: AbortSignal,
  ): Promise<readonly Restored[]>;
  /** Whether a task has news that the model was not told yet. */
  hasNews(): boolean;
}

/** Puts the collectors of a session together, in the order in which the model reads what they find. */
export function createSessionAttachments(options: SessionAttachmentsOptions): SessionAttachments {
  const { environment, log } = options;
  const { files, reads, hiddenFiles, project } = environment;
  const news = createTaskNews(options.takeTaskNotifications);
  const collectors: readonly Collector[] = [
    createMentions({ environment, decide: options.decide }),
    createNestedMemory({ project, reads, hiddenFiles, folderMemory: options.folderMemory }),
    createChangedFiles({ files, reads, hiddenFiles }),
    news.collector,
    createRestartNote(project, options.usedShell),
    createTodoReminders(environment.todos.get),
    createModeReminders(),
    createLimitNotices(),
    createQueuedPromptNotes(),
  ];
  const collection = createCollection(collectors, environment.clock);
  const progress = followQuery(log, options.limits);
  const tellMissed = createMissedNotices(options.record);
  return {
    hasNews: news.waits,
    restore: async (_gone, kept, signal) =>
      restoreAfterCompaction(kept, { environment, decide: options.decide }, signal),
    collect: async (history, signal) => {
      const moment = {
        history: sinceBoundary(history),
        mode: options.mode(),
        windowTokens: options.windowTokens(),
        query: progress(),
      };
      const found = await collection.collect(moment, signal);
      tellMissed(found.missed);
      return found.attachments;
    },
  };
}

/** How far the running query has come, as its events tell. The money is the whole run's, like its limit. */
function followQuery(log: Pick<EventLog, 'listen'>, limits: QueryLimits): () => QueryProgress {
  let query = { queryId: '', promptId: null as string | null, turns: 0, spentUsd: 0 };
  log.listen(({ event }) => {
    switch (event.type) {
      case 'query_started':
        query = { ...query, queryId: event.queryId, promptId: null, turns: 0 };
        break;
      case 'user_message':
        if (query.turns === 0) query = { ...query, promptId: query.promptId ?? event.id };
        break;
      case 'turn_started':
        query = { ...query, turns: event.turn };
        break;
      case 'message_finished':
      case 'side_call':
        query = { ...query, spentUsd: query.spentUsd + event.costUsd };
        break;
    }
  });
  return () => ({ ...query, ...limits });
}

/** Tells the person once per kind that the model works without something. */
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
