import type { Result } from '../../../shared/result';
import { err, ok } from '../../../shared/result';
import type { ToolContext } from '../tools/environment';
import type { RunningServer } from './language-server';
import { type Finding, readPlaces } from './results';

/** Asks a server. The error is for the model. */
export type Ask = (method: string, params: unknown) => Promise<Result<unknown, string>>;

type Place = Pick<Finding, 'path' | 'uri'>;

/**
 * Returns a test for found things in files that a rule keeps from being read, by the path that the server gave and by where it
 * leads. The file that was asked about is none: that it may be read was decided.
 */
export async function hiddenAmong(
  found: readonly Place[],
  asked: string,
  { agent, services: { files } }: Pick<ToolContext, 'agent' | 'services'>,
): Promise<(place: Place) => boolean> {
  const hidesFiles = agent.hidesFiles();
  if (!hidesFiles) return () => false;
  const isHidden = agent.hiddenFiles();
  const paths = new Set(found.flatMap(({ path }) => path ?? []));
  const hidden = new Map(
    await Promise.all(
      [...paths].map(async (path) => {
        const real = await files.realPath(path);
        const end = real.ok ? real.value : path;
        return [path, end !== asked && (isHidden(path) || isHidden(end))] as const;
      }),
    ),
  );
  // Of the address of a file that no path can be made of, nothing is known.
  return ({ path, uri }) => (path === null ? /^file:/i.test(uri) : (hidden.get(path) ?? false));
}

/**
 * Asks where a thing and its type are defined before its text is shown: that holds the signature and comments which stand there.
 * The error says why there is to be no text.
 */
export async function mayShowText(
  position: unknown,
  asked: string,
  running: Pick<RunningServer, 'offers'>,
  ask: Ask,
  context: Pick<ToolContext, 'agent' | 'services' | 'signal'>,
): Promise<Result<null, string>> {
  if (!context.agent.hidesFiles()) return ok(null);
  if (!running.offers('textDocument/definition', 'definitionProvider')) return err(UNKNOWN);
  const definition = await ask('textDocument/definition', position);
  if (!definition.ok) return context.signal.aborted ? definition : err(UNKNOWN);
  const places = readPlaces(definition.value);
  if (places.length === 0) return err(UNKNOWN);
  // Most things have no type of their own, and some servers call it a fault to ask for one.
  const type = running.offers('textDocument/typeDefinition', 'typeDefinitionProvider')
    ? await ask('textDocument/typeDefinition', position)
    : null;
  const all = type?.ok ? [...places, ...readPlaces(type.value)] : places;
  return all.some(await hiddenAmong(all, asked, context)) ? err(HIDDEN) : ok(null);
}

const HIDDEN =
  'Its text is left out: it is defined in a file that a rule keeps from being read, or its type is.';
const UNKNOWN =
  'Its text is left out: rules keep some files from being read, and the language server does not say whether it is defined in one of them.';
