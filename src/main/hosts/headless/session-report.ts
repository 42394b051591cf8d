import { ok, type Result } from '../../../shared/result';
import { conversationFileName, conversationText } from '../../app/conversation-text';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import type { ControlRequest } from './json-input';
import { PROTOCOL_VERSION, SOURCE_NAMES } from './session-facts';

/** A request for the session in words for a user; null for one that is something else. */
export function carryOutReports(
  { subtype }: ControlRequest['request'],
  session: HeadlessSession,
  latheVersion: string,
): Result<Json> | null {
  switch (subtype) {
    case 'get_status':
      return ok({ sections: statusSections(session, latheVersion) });
    case 'export_conversation': {
      const items = session.conversation();
      return ok({ text: conversationText(items), default_filename: conversationFileName(items) });
    }
    default:
      return null;
  }
}

type Row = readonly [label: string, value: string];

/** Returns what a session works with, as rows for a user, in sections. */
function statusSections(session: HeadlessSession, latheVersion: string): readonly Json[] {
  const sources = new Set(session.givenSettings().map(({ source }) => SOURCE_NAMES[source]));
  const { usedTokens, windowTokens } = session.contextUse();
  const sections: readonly (readonly [title: string, rows: readonly Row[]])[] = [
    [
      'Session',
      [
        ['Version', `${PROTOCOL_VERSION} (Lathe ${latheVersion})`],
        ['Session ID', session.sessionId],
        ['Folder', session.cwd],
        ['API key', session.apiKeySource],
      ],
    ],
    [
      'Model',
      [
        ['Model', session.model()],
        ['Effort', session.effort()],
        ['Permission mode', session.mode()],
        ['Output style', session.outputStyle],
        ['Context', `${usedTokens} of ${windowTokens} tokens`],
      ],
    ],
    ['Tool servers', session.toolServers().map(({ name, status }) => [name, status] as const)],
    [
      'Language servers',
      session.languageServers().map(({ name, state }) => [name, state] as const),
    ],
    [
      'Settings',
      [
        ['Files', [...sources].join(', ') || 'none'],
        ...session.problems.map(({ level, message }) => [level, message] as const),
      ],
    ],
  ];
  return sections.flatMap(([title, rows]) =>
    rows.length === 0
      ? []
      : [{ title, properties: rows.map(([label, value]) => ({ label, value })) }],
  );
}
