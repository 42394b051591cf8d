import { err, ok, type Result } from '../../../shared/result';
import { fileRequest } from '../permissions/build-request';
import { isPathTooLong, MAX_PATH_BYTES } from '../permissions/paths';
import type { PermissionRequest } from '../permissions/request';
import type { Whereabouts } from '../permissions/rule-match';
import type { ShellParser } from '../permissions/shell-analysis/parser';
import type { Files } from '../ports';

/** The rules for commands in the sandbox. */
export interface SandboxTerms {
  /** They run unasked, unless a rule or a safety check says otherwise. */
  readonly autoAllow: boolean;
  /** The model may ask to run one outside. */
  readonly allowUnsandboxed: boolean;
  /** Commands that run outside, as rules write them. */
  readonly excludedCommands: readonly string[];
}

/** Everything that the needs of a call depend on. No session is required: checks and replays ask too. */
export interface NeedsContext extends Whereabouts {
  readonly files: Files;
  readonly parser: ShellParser;
  /** True when a user trusts the project folder, so that what it names may run. */
  readonly trusted: boolean;
  /** Resolves to the rules for commands in the sandbox; null when commands do not run inside. */
  readonly sandboxTerms: () => Promise<SandboxTerms | null>;
}

/** A call's input as the model wrote it: it may break the schema of its tool. */
export type RawInput = Readonly<Record<string, unknown>>;

/** Finds out the permissions that a call needs; an error says why no call can be made of the input. Never rejects. */
export type Needs = (
  input: RawInput,
  context: NeedsContext,
) => Promise<Result<readonly PermissionRequest[], string>>;

/** A tool as far as its permissions go. */
export interface ToolWithNeeds {
  readonly name: string;
  readonly needs: Needs;
}

/** Finds out the permissions that a call needs, with its plain fields for rules of the form `Tool(param:value)`. */
export async function needsOf(
  { needs }: ToolWithNeeds,
  input: RawInput,
  context: NeedsContext,
): ReturnType<Needs> {
  const needed = await needs(input, context);
  if (!needed.ok) return needed;
  const params = paramsOf(input);
  return ok(
    needed.value.map((request) => ({ ...request, params: { ...params, ...request.params } })),
  );
}

/** Returns the same for a call that is to run: an input of which no call can be made needs what nothing allows. */
export async function requestsOf(
  tool: ToolWithNeeds,
  input: RawInput,
  context: NeedsContext,
): Promise<readonly PermissionRequest[]> {
  const needed = await needsOf(tool, input, context);
  if (needed.ok) return needed.value;
  return [{ kind: 'tool', tool: tool.name, readOnly: false, exactOnly: needed.error }];
}

/** Returns the needs of a tool that uses one file or folder, named by `field`. */
export const fileNeeds =
  (tool: string, access: 'read' | 'edit', field: string): Needs =>
  async (input, context) => {
    const asked = pathIn(input, field);
    if (typeof asked === 'string' && isPathTooLong(asked)) return err(TOO_LONG);
    return typeof asked === 'string' && asked !== ''
      ? ok([await fileRequest(tool, access, asked, context, context.files)])
      : err(missing(tool, field));
  };

/** Returns the needs of a tool that searches from `path`; `startOf` may move the start, e.g. by its pattern. */
export const searchNeeds =
  (tool: string, startOf: (path: string, input: RawInput) => string = (path) => path): Needs =>
  async (input, context) => {
    const asked = pathIn(input, 'path') ?? '.';
    if (typeof asked === 'string' && isPathTooLong(asked)) return err(TOO_LONG);
    return typeof asked === 'string'
      ? ok([await fileRequest(tool, 'read', startOf(asked, input), context, context.files)])
      : err(missing(tool, 'path'));
  };

/** Returns the needs of a tool that changes nothing outside Lathe: rules still hold, nobody is asked without one. */
export const ownNeeds =
  (tool: string): Needs =>
  async () =>
    ok([{ kind: 'tool', tool, readOnly: true }]);

/** Returns the needs of any other tool. `specifierOf` gives what its rules have in their parentheses. */
export const otherNeeds =
  (tool: string, specifierOf: (input: RawInput) => string | null = () => null): Needs =>
  async (input) => {
    const specifier = specifierOf(input);
    return ok([
      { kind: 'tool', tool, readOnly: false, ...(specifier === null ? {} : { specifier }) },
    ]);
  };

/** Returns a text field of an input; null when it is none. */
export function textIn(input: RawInput, field: string): string | null {
  const value = input[field];
  return typeof value === 'string' ? value : null;
}

/** Returns the message about a field without which no call can be made. */
export const missing = (tool: string, field: string): string =>
  `${tool} needs a text in input.${field}`;

const TOO_LONG = `a path has at most ${MAX_PATH_BYTES} bytes`;

/** Returns the path of an input. Models and scripts mix the names of its field up. */
const pathIn = (input: RawInput, field: string): unknown =>
  input[field] ?? input['file_path'] ?? input['path'];

const paramsOf = (input: RawInput): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) =>
      /^(string|number|boolean)$/.test(typeof value) ? [[name, String(value)]] : [],
    ),
  );
