import type { Readable } from 'node:stream';
import { err, fault, ok, type Result } from '../../../shared/result';

/** More than this on standard input is no prompt. Characters. */
const MAX_INPUT_CHARS = 10_000_000;
/** With a prompt on the command line, a pipe in which nothing comes for this long is taken for idle. Milliseconds. */
const IDLE_PIPE_MS = 3_000;

/** Standard input, as far as prompts depend on it. */
export interface InputSource {
  readonly stream: Readable;
  /** A person types there: nothing is read from it. */
  readonly isTerminal: boolean;
}

/** The one prompt of `--input-format text`: the command line's, standard input's, or both, in that order. */
export async function readTextPrompt(
  input: InputSource,
  fromCommandLine: string | null,
  warn: (line: string) => void,
): Promise<Result<string>> {
  const piped = input.isTerminal
    ? ok('')
    : await readAll(input.stream, fromCommandLine === null ? null : IDLE_PIPE_MS, warn);
  if (!piped.ok) return piped;
  const parts = [fromCommandLine ?? '', piped.value].filter((part) => part.trim() !== '');
  return parts.length === 0
    ? err(fault('no_prompt', 'There is no prompt.', 'Give one: lathe -p "…", or pipe it in.'))
    : ok(parts.join('\n\n'));
}

function readAll(
  stream: Readable,
  idleMs: number | null,
  warn: (line: string) => void,
): Promise<Result<string>> {
  return new Promise((resolve) => {
    const chunks: string[] = [];
    let size = 0;
    const settle = (result: Result<string>) => {
      clearTimeout(idle);
      stream.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      stream.pause();
      resolve(result);
    };
    const idle =
      idleMs === null
        ? undefined
        : setTimeout(() => {
            warn(`Nothing came on standard input for ${idleMs / 1000} s; going on without it.`);
            settle(ok(''));
          }, idleMs);
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      clearTimeout(idle);
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_INPUT_CHARS) settle(err(tooLarge()));
    });
    stream.on('end', () => settle(ok(chunks.join(''))));
    stream.on('error', () => settle(ok(chunks.join(''))));
  });
}

const tooLarge = () =>
  fault(
    'input_too_large',
    `Standard input has more than ${MAX_INPUT_CHARS / 1e6} million characters.`,
    'Save it to a file and name the file in the prompt.',
  );
