import { z } from 'zod';
import { plainLine } from '../../../shared/plain-line';
import { SignInNeeded } from './bearer';
import { httpAnswer, httpAnswerText, wrongContentText } from './http-answer';
import type { ServerTransport } from './transports';

/** The longest list of rights that is read. Characters. */
const MAX_SCOPE_CHARS = 500;
/** The longest reason that a server or the SDK gives. Characters. */
const MAX_REASON = 1000;

/** Tells whether a request failed for want of a sign-in that can be had. */
export const wantsSignIn = (thrown: unknown, transport: ServerTransport): boolean =>
  transport.signsIn === true && (thrown instanceof SignInNeeded || statusOf(thrown) === 401);

/** Returns the rights that a request lacked, as the server says; null for any other failure. */
export const scopeOf = (thrown: unknown): string | null =>
  thrown instanceof Error &&
  thrown.name === 'InsufficientScopeError' &&
  'requiredScope' in thrown &&
  typeof thrown.requiredScope === 'string'
    ? thrown.requiredScope.slice(0, MAX_SCOPE_CHARS)
    : null;

/** Tells whether a request failed because there is nobody, or nobody who knows of the connection. */
export const isLost = (thrown: unknown): boolean =>
  thrown instanceof TypeError || statusOf(thrown) === 502 || isUnknown(thrown);

/**
 * Tells whether a server refused a request because it does not know the session, which it gave itself: then it did nothing of
 * what was asked.
 */
export function isForgotten(thrown: unknown, transport: ServerTransport): boolean {
  const { status, said = '' } = httpAnswer(thrown) ?? {};
  const isSaid = status === 404 || (status === 400 && UNKNOWN_SESSION.test(said));
  return isSaid && transport.hasSession?.() === true;
}

const UNKNOWN_SESSION =
  /\b(no|not|unknown|invalid|missing|expired|without)\b[^.]{0,40}\bsession\b|\bsession\b[^.]{0,40}\b(not|unknown|invalid|expired|missing|no longer)\b/i;

/** Many servers answer 400 for a session that they do not know, as one does that was restarted. */
function isUnknown(thrown: unknown): boolean {
  const { status, said = '' } = httpAnswer(thrown) ?? {};
  return status === 404 || (status === 400 && /\bsession\b/i.test(said));
}

const statusOf = (thrown: unknown): number | null => httpAnswer(thrown)?.status ?? null;

/** Returns why something failed: how the server ended when it did, else what the SDK says. */
export async function reasonOf(thrown: unknown, transport: ServerTransport): Promise<string> {
  const answer = httpAnswer(thrown);
  const status = answer?.status;
  const { address = 'its address' } = transport;
  const scope = scopeOf(thrown);
  if (scope !== null)
    return `It wants a sign-in with more rights: ${plainLine(scope, MAX_SCOPE_CHARS)}.`;
  if (wantsSignIn(thrown, transport)) return 'It wants you to sign in.';
  if (status === 401 || status === 403) return `It wants a sign-in (${status}): ${SIGN_IN}`;
  if (answer !== null) return httpAnswerText(answer, address);
  const wrong = wrongContentText(thrown, address);
  if (wrong !== null) return wrong;
  const limit = limitPassed(thrown);
  if (limit !== null)
    return `It did not answer within ${limit / 1000} s, its limit for a call: "timeout" of the server or MCP_TOOL_TIMEOUT sets another.`;
  const cause = thrown instanceof TypeError && thrown.cause instanceof Error ? thrown.cause : null;
  const message = cause?.message ?? (thrown instanceof Error ? thrown.message : String(thrown));
  const program = transport.program();
  // What the SDK says of a lost connection says less than how it was lost.
  if (/^(Connection closed|Not connected)$/.test(message)) {
    if (program !== null) return program.ended;
    if (transport.gone) return plainLine(await transport.gone, MAX_REASON);
  }
  return plainLine(formText(message), MAX_REASON);
}

/** Returns the time after which the SDK gave a request up; null for any other failure. Milliseconds. */
const limitPassed = (thrown: unknown): number | null => {
  const late = Late.safeParse(thrown);
  return late.success ? late.data.data.timeout : null;
};

const Late = z.looseObject({
  code: z.literal('REQUEST_TIMEOUT'),
  data: z.looseObject({ timeout: z.number() }),
});

/** Returns a complaint of the SDK about the form of an answer in a few words, and any other message as it is. */
function formText(message: string): string {
  const [, method, list] = /^Invalid result for (\S+): (\[.*)$/s.exec(message) ?? [];
  if (method === undefined || list === undefined) return message;
  const issues = Issues.safeParse(parsed(list));
  if (!issues.success) return message;
  const places = issues.data.map(({ path }) => path.join('.'));
  return `Its answer to ${method} does not have the form that it must have: ${places.join(', ')}.`;
}

const Issues = z.array(z.looseObject({ path: z.array(z.union([z.string(), z.number()])) }));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const SIGN_IN = 'give it a header such as "Authorization".';

/** Adds what the server printed last. */
export function withStderr(why: string, transport: ServerTransport): string {
  const printed = transport.program()?.stderr().trim() ?? '';
  return printed === '' ? why : `${why} It printed:\n${printed}`;
}
