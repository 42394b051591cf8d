import type { AgentEvent } from '../../../shared/agent-event';
import { type FilesChanged, withChanges } from '../../../shared/fold-changes';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { AgentTranscript } from '../../../shared/transcript';
import { loadLog, transcriptOf } from '../sessions/load';
import type { OpenLog } from '../sessions/open-log';
import { subAgentFile } from '../sessions/paths';
import type { SessionScope } from './session-scope';

/**
 * Creates what gives the conversation of a sub-agent: from the session's picture, or else from the agent's own log, with the
 * marks of changed files, which stand in the log of the session.
 */
export function createAgentTranscripts(
  { log, services, paths }: SessionScope,
  { events }: OpenLog,
): (agentId: string) => Promise<Result<AgentTranscript>> {
  const changes: FilesChanged[] = events.filter(isChange);
  log.listen(({ event }) => {
    if (isChange(event)) changes.push(event);
  });
  return async (agentId) => {
    const known = log.transcript().agents.find(({ id }) => id === agentId);
    if (!known) return err(fault('not_found', `This session has no agent ${agentId}.`));
    if (known.transcript) return ok(known.transcript);
    const own = await loadLog(services.files, subAgentFile(paths.folder, agentId));
    return own.ok ? ok(withChanges(transcriptOf(agentId, own.value.lines), changes)) : own;
  };
}

const isChange = (event: AgentEvent): event is FilesChanged => event.type === 'files_changed';
