import { z } from 'zod';
import { plainLine } from '../../../shared/plain-line';

/** A server's answer that is no answer to what was asked. */
export interface HttpAnswer {
  readonly status: number;
  /** The words behind the number; '' where they are not known. */
  readonly words: string;
  /** The body of the answer, or what the SDK says in its place. */
  readonly said: string;
}

/** The most of a page that is told. Characters. */
const MAX_SAID = 200;
/** The most of a page that is looked at. Characters. */
const MAX_READ = 20_000;

const Thrown = z.looseObject({
  status: z.number().optional(),
  statusText: z.string().optional(),
  message: z.string(),
});

/** Returns the answer of HTTP that an error of the SDK is about; null for any other error. Pure. */
export function httpAnswer(thrown: unknown): HttpAnswer | null {
  if (!(thrown instanceof Error)) return null;
  const { status, statusText: words = '', message } = Thrown.parse(thrown);
  // With events, the SDK tells the status in its message alone.
  const posted = /^Error POSTing to endpoint(?: \(HTTP (\d+)\))?: (.*)$/s.exec(message);
  const opened = /Non-200 status code \((\d+)\)/.exec(message);
  const found = status ?? (posted?.[1] || opened?.[1]);
  if (found === undefined) return null;
  const said = posted?.[2] ?? '';
  return { status: Number(found), words, said: said === 'null' ? '' : said };
}

/** Returns what an answer of HTTP was and where, with a little of its page, in one line. Pure. */
export function httpAnswerText({ status, words, said }: HttpAnswer, address: string): string {
  const number = `${status} ${plainLine(words, MAX_SAID)}`.trim();
  const elsewhere = /^Redirect to (\S+)/.exec(said)?.[1];
  if (elsewhere !== undefined)
    return `It answered ${number} at ${address}, a redirect to ${plainLine(elsewhere, MAX_SAID)}, which is not followed: give that address if it is the server's.`;
  const page = pageText(said.slice(0, MAX_READ));
  return `It answered ${number} at ${address}${page === '' ? '.' : `: ${page}`}`;
}

/** Returns what is wrong with the kind of an answer, in one line; null for any other error. Pure. */
export function wrongContentText(thrown: unknown, address: string): string | null {
  const message = thrown instanceof Error ? thrown.message : '';
  const type = /^Unexpected content type: (.*)$/.exec(message)?.[1];
  if (type === undefined && !message.includes('Invalid content type, expected')) return null;
  const kind = type === undefined ? 'something else than events' : plainLine(type, MAX_SAID);
  return `It answered with ${kind} at ${address}, so no tool server of this type is there.`;
}

/** Returns the words of a page, or the message of an error in JSON, shortened. */
function pageText(page: string): string {
  const words = messageOf(page) ?? page;
  const text = words
    .replaceAll(/<(style|script|title)\b.*?<\/\1\s*>|<!--.*?-->/gis, ' ')
    .replaceAll(/<[a-z!/][^>]*>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length > MAX_SAID ? `${plainLine(text, MAX_SAID)}…` : plainLine(text, MAX_SAID);
}

const Message = z.looseObject({ message: z.string() });
const Fault = z.union([
  z.looseObject({ error: Message }).transform(({ error }) => error.message),
  z.looseObject({ error_description: z.string() }).transform((one) => one.error_description),
  z.looseObject({ error: z.string() }).transform(({ error }) => error),
  Message.transform(({ message }) => message),
]);

function messageOf(page: string): string | null {
  try {
    return Fault.safeParse(JSON.parse(page)).data ?? null;
  } catch {
    return null;
  }
}
