import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { TerminalInfo } from '../../../shared/terminal';
import type { TerminalExit, TerminalProgress, TerminalSpec } from '../../engine/ports';

/**
 * The messages on the terminal host's socket. The first record of a connection is a {@link Hello}; the host
 * answers with a {@link HelloReply}. Afterwards a `viewer` connection carries frames of `shared/terminal-wire`
 * both ways, and a `control` connection requests and responses by id, with events between them.
 */

/** Raised when the protocol changes. A new version gets its own socket, so an old host lives on beside it. */
export const PROTOCOL = 2;

/** The greeting of a client. The token is the secret beside the socket. */
export interface Hello {
  readonly role: 'control' | 'viewer';
  readonly protocol: number;
  readonly token: string;
}

/** A terminal, and its end when it has ended. */
export interface TerminalState {
  readonly info: TerminalInfo;
  readonly exit?: TerminalExit;
}

/** The answer to {@link Hello}; after a refusal the host hangs up. */
export type HelloReply =
  | { readonly ok: true; readonly hostPid: number; readonly terminals: readonly TerminalState[] }
  | { readonly ok: false; readonly error: Fault };

/** A request on a control connection. */
export type ControlCall =
  | { readonly method: 'spawn'; readonly spec: TerminalSpec }
  | { readonly method: 'kill'; readonly terminalId: string; readonly graceMs: number }
  | { readonly method: 'list' }
  | { readonly method: 'dismiss'; readonly terminalId: string }
  | { readonly method: 'watchProgress'; readonly terminalId: string; readonly on: boolean }
  /** Ends every terminal that no other connected client started; the host exits when nobody else is there. */
  | { readonly method: 'shutdown'; readonly graceMs: number };

/** A message that the host sends unasked. */
export type HostEvent =
  | { readonly event: 'changed'; readonly info: TerminalInfo }
  | { readonly event: 'exited'; readonly info: TerminalInfo; readonly exit: TerminalExit }
  | { readonly event: 'removed'; readonly terminalId: string }
  | {
      readonly event: 'progress';
      readonly terminalId: string;
      readonly progress: TerminalProgress;
    };

/** The answer to one request. */
export type ControlResponse =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: Fault };

/** The checks between bytes from the socket and the host's own types: wrong input is a Fault, never a crash. */

type Fields = Readonly<Record<string, unknown>>;

const MAX_ID_CHARS = 200;
const MAX_GRACE_MS = 60_000;

/** Parses a greeting, or says why it is refused. The caller compares the token. */
export function parseHello(value: Fields | null): Result<Hello> {
  if (value === null || (value['role'] !== 'control' && value['role'] !== 'viewer'))
    return err(fault('bad_request', 'The first record is not a greeting.'));
  if (value['protocol'] !== PROTOCOL)
    return err(fault('protocol_mismatch', `This terminal host speaks protocol ${PROTOCOL} only.`));
  if (typeof value['token'] !== 'string') return err(fault('bad_token', 'The token is missing.'));
  return ok({ role: value['role'], protocol: PROTOCOL, token: value['token'] });
}

/** Parses a call, or says what is wrong with it. */
export function parseCall(value: unknown): Result<ControlCall> {
  if (!isFields(value)) return bad('The request has no call.');
  switch (value['method']) {
    case 'list':
      return ok({ method: 'list' });
    case 'shutdown':
      return ok({ method: 'shutdown', graceMs: graceOf(value['graceMs']) });
    case 'dismiss':
      return withId(value, (terminalId) => ({ method: 'dismiss', terminalId }));
    case 'kill':
      return withId(value, (terminalId) => ({
        method: 'kill',
        terminalId,
        graceMs: graceOf(value['graceMs']),
      }));
    case 'watchProgress':
      return withId(value, (terminalId) => ({
        method: 'watchProgress',
        terminalId,
        on: value['on'] === true,
      }));
    case 'spawn':
      return parseSpawn(value['spec']);
    default:
      return bad('The method is unknown.');
  }
}

function parseSpawn(spec: unknown): Result<ControlCall> {
  return isSpec(spec)
    ? ok({ method: 'spawn', spec })
    : bad(specProblem(spec) ?? 'The terminal to start is malformed.');
}

const isSpec = (value: unknown): value is TerminalSpec => specProblem(value) === null;

function specProblem(spec: unknown): string | null {
  if (!isFields(spec)) return 'The terminal to start is missing.';
  if (!isId(spec['id'])) return 'The terminal needs an id of 1 to 200 characters.';
  if (spec['kind'] !== 'shell' && spec['kind'] !== 'command') return 'The kind is unknown.';
  for (const name of ['sessionId', 'project', 'title', 'cwd'])
    if (typeof spec[name] !== 'string') return `"${name}" must be a text.`;
  for (const name of ['callId', 'taskId', 'command', 'outputFile'])
    if (spec[name] !== undefined && typeof spec[name] !== 'string')
      return `"${name}" must be a text.`;
  for (const name of ['cols', 'rows'])
    if (typeof spec[name] !== 'number') return `"${name}" must be a number.`;
  if (!isTextList(spec['argv']) || spec['argv'].length === 0) return '"argv" must name a program.';
  if (!isFields(spec['env']) || !isTextList(Object.values(spec['env'])))
    return '"env" must map names to texts.';
  return null;
}

const bad = (message: string): Result<never, Fault> => err(fault('bad_request', message));

function withId(value: Fields, build: (terminalId: string) => ControlCall): Result<ControlCall> {
  const id = value['terminalId'];
  return isId(id) ? ok(build(id)) : bad('The terminal id is missing.');
}

const graceOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.min(Math.max(value, 0), MAX_GRACE_MS)
    : 0;

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_CHARS;

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
