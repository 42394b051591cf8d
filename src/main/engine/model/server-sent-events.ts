/** One server-sent event as text. */
export interface RawEvent {
  readonly event: string | null;
  readonly data: string;
  /** The stream ended in it: it may be half of one. */
  readonly unfinished?: true;
}

/** The events of a stream, together those that became whole with one read from the network. */
export async function* eventsByRead(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<readonly RawEvent[]> {
  if (body === null) return;
  const events = createEventReader();
  // By its reader, which costs half of what iterating does.
  const reader = body.getReader();
  let over = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      over = done;
      if (done) break;
      const whole = events.take(value);
      if (whole.length > 0) yield whole;
    }
    yield events.end();
  } finally {
    if (!over) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** Reads events out of bytes that may be cut anywhere. */
export interface EventReader {
  take(bytes: Uint8Array): readonly RawEvent[];
  /**
   * No more bytes will come. The event they ended in is given, which the standard drops: some servers leave out the
   * empty line behind their last one.
   */
  end(): readonly RawEvent[];
}

/** Creates a reader for one stream. Lines end with LF, CR LF or CR. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let open = '';
  let event: string | null = null;
  let data: string[] = [];

  const takeLine = (line: string): RawEvent | null => {
    if (line === '') {
      if (event === null && data.length === 0) return null;
      const whole = { event, data: data.join('\n') };
      event = null;
      data = [];
      return whole;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
    return null;
  };

  const take = (more: string): readonly RawEvent[] => {
    // Only the new part is searched, so that a line in a thousand pieces is not gone through a thousand times.
    const closes = more.includes('\n') || more.includes('\r') || open.endsWith('\r');
    open += more;
    if (!closes) return [];
    const text = open.includes('\r') ? unixLines(open) : open;
    const events: RawEvent[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const whole = takeLine(withoutMark(text.slice(from, end)));
      if (whole !== null) events.push(whole);
      from = end + 1;
    }
    open = text.slice(from);
    return events;
  };

  return {
    take: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end: () => [
      ...take(`${decoder.decode()}${open.endsWith('\r') ? '\n' : ''}`),
      ...take('\n\n').map((event): RawEvent => ({ ...event, unfinished: true })),
    ],
  };
}

/** A CR at the very end stays: it may be the first half of a CR LF. */
const unixLines = (text: string): string => text.replace(/\r\n|\r(?!$)/g, '\n');

const withoutMark = (line: string): string => (line.startsWith('\ufeff') ? line.slice(1) : line);
