import { homedir } from 'node:os';
import { z } from 'zod';
import { PermissionMode } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { HeadlessOptions, HeadlessSession } from '../../app/headless-session';
import type { HeadlessCommand } from '../common/command-line/command';
import type { Json } from './api-shape';
import { answerTo, type CarryOut, createControls, refusal } from './control';
import type { HeadlessParts } from './in-session';
import { openInstalled } from './install-first';
import type { ControlRequest, JsonInput, RunningRequest } from './json-input';
import type { Printer } from './printer';
import type { Initialized } from './program-parts';

/** The session that a program has for a run which was started ahead. */
export interface Claim {
  /** The request, which is answered once the session is open. */
  readonly id: string;
  readonly options: HeadlessOptions;
  /** Begins the run, in the place of the `initialize` it was started with. */
  readonly initialize: Json;
  /** Settings that were given before. */
  readonly settings: readonly ControlRequest['request'][];
}

const Request = z.looseObject({
  cwd: z.string().trim().min(1),
  permission_mode: PermissionMode.nullish(),
  env: z.record(z.string(), z.string()).nullish(),
  additional_directories: z.array(z.string()).nullish(),
  append_system_prompt: z.string().nullish(),
  title: z.string().nullish(),
  agents: z.record(z.string(), z.unknown()).nullish(),
});

/** A run that was started ahead of its session. */
interface Spare {
  readonly command: HeadlessCommand;
  readonly parts: HeadlessParts;
  readonly printer: Printer;
  readonly input: JsonInput;
  /** The `initialize` it was started with. */
  readonly first: ControlRequest | null;
  readonly requests: AsyncIterator<RunningRequest>;
  /** Reads what a run begins with. */
  begin(request: Json | null, options: HeadlessOptions): Result<Initialized>;
}

/**
 * Answers what a program asks of a run that was started ahead (`--await-claim`), over a session of the folder it waits in,
 * until the program claims it. Null: the program hung up. An error was told where it was asked.
 */
export async function claimOfSpare(spare: Spare): Promise<Result<Claim> | null> {
  const { command, parts, printer, input, first, begin } = spare;
  const begun = begin(first?.request ?? null, command.options);
  const opened = begun.ok
    ? await openInstalled(parked(begun.value.options), begun.value.program, parts, printer)
    : begun;
  if (opened === null) return null;
  if (!begun.ok || !opened.ok) {
    const failed = begun.ok ? opened : begun;
    if (first !== null && !failed.ok) await printer.control(refusal(first.id, failed.error));
    return failed.ok ? null : failed;
  }
  const { receive } = begun.value;
  const carryOut = createControls(opened.value, parts.version, receive, input.waiting);
  try {
    if (first !== null) await printer.control(answerTo(first.id, await carryOut(first.request)));
    return await awaitClaim(spare, carryOut);
  } finally {
    await opened.value.close();
  }
}

/** Returns the options of the session that only waits: nothing of it is kept, and no other is taken up. */
const parked = ({ resume: _, worktree: __, ...options }: HeadlessOptions): HeadlessOptions => ({
  ...options,
  keepsNothing: true,
});

async function awaitClaim(
  { requests, command, first, printer }: Spare,
  carryOut: CarryOut,
): Promise<Result<Claim> | null> {
  const settings: ControlRequest['request'][] = [];
  for (;;) {
    const next = await requests.next();
    if (next.done === true) return null;
    const { id, request, withdrawn, over } = next.value;
    if (request.subtype === 'claim_session') {
      over();
      const claim = claimOf(request, command.options, first?.request ?? {});
      if (claim.ok) return ok({ id, settings, ...claim.value });
      await printer.control(refusal(id, claim.error));
      return claim;
    }
    const done = await carryOut(request, withdrawn);
    over();
    if (done.ok && request.subtype === 'apply_flag_settings') settings.push(request);
    await printer.control(answerTo(id, done));
  }
}

/** Gives a claimed session the settings that were given before it was, and returns the answer to the claim. */
export async function claimFacts(
  { options, initialize, settings }: Claim,
  session: Pick<HeadlessSession, 'sessionId'>,
  carryOut: CarryOut,
  parkedMs: number,
): Promise<Result<Json>> {
  for (const request of settings) {
    const done = await carryOut(request);
    if (!done.ok) return done;
  }
  const answer = await carryOut({ ...initialize, subtype: 'initialize' });
  if (!answer.ok) return answer;
  return ok({
    ...{ cwd: options.folder, session_id: session.sessionId, parked_ms: Math.round(parkedMs) },
    ...{ sdk_mcp_settled: true, initialize: answer.value },
  });
}

/** Returns what a run begins with that is claimed. Pure. */
export function claimOf(
  request: ControlRequest['request'],
  options: HeadlessOptions,
  initialize: Json,
): Result<Pick<Claim, 'options' | 'initialize'>> {
  const parsed = Request.safeParse(request);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    const code = field === 'permission_mode' ? MODE_CODE : 'claim_failed';
    return err(fault(code, `${code}: ${field}: ${issue?.message ?? 'unusable'}`));
  }
  const { cwd, permission_mode: mode, env, additional_directories: folders, title } = parsed.data;
  const { append_system_prompt: append, agents } = parsed.data;
  const named = Object.keys(env ?? {});
  if (named.length > 0)
    return err(
      fault(
        'claim_failed',
        `claim_failed: env: ${named.join(', ')} can only be given when the run is started.`,
      ),
    );
  const mayBypass = options.mode === 'bypassPermissions' || options.allowsBypass === true;
  if (mode === 'bypassPermissions' && !mayBypass)
    return err(fault(MODE_CODE, `${MODE_CODE}: the run was not started so that it may work so.`));
  return ok({
    options: {
      ...options,
      folder: cwd.replace(/^~(?=\/|$)/, homedir()),
      ...(mode == null ? {} : { mode }),
      addDirectories: [...options.addDirectories, ...(folders ?? [])],
    },
    initialize: {
      ...initialize,
      ...(append == null ? {} : { appendSystemPrompt: append }),
      ...(title == null ? {} : { title }),
      ...(agents == null ? {} : { agents }),
    },
  });
}

const MODE_CODE = 'permission_mode_not_claimable';
