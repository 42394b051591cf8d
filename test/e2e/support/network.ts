import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';

/** The network between a page and its host, as a test wants it. */
export interface Network {
  /**
   * Lets the next message of the page that holds `text` arrive, and nothing after it in either direction on that
   * connection: its answer is lost, and no socket is told. No other one opens until `mend`.
   */
  loseAnswerTo(text: string): Promise<void>;
  mend(): Promise<void>;
}

declare global {
  interface Window {
    /** The text whose answer is to be lost next. */
    loseAnswerTo?: string | undefined;
    /** No socket opens. */
    isCut?: boolean;
  }
}

/** Puts a network with a delay in each direction before the sockets of a page. Call it before the page opens. */
export async function slowNetwork(page: Page, delayMs: number): Promise<Network> {
  await page.addInitScript((delay) => {
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      #dead = false;
      constructor(url: string) {
        super(url);
        if (window.isCut === true) this.close();
      }
      override send(data: string) {
        if (this.#dead) return;
        const { loseAnswerTo } = window;
        if (loseAnswerTo !== undefined && String(data).includes(loseAnswerTo)) {
          window.loseAnswerTo = undefined;
          window.isCut = true;
          this.#dead = true;
        }
        setTimeout(() => super.send(data), delay);
      }
      override addEventListener(type: string, listener: (event: Event) => void, options?: object) {
        const late = (event: Event) => {
          if (!this.#dead) setTimeout(() => listener(event), delay);
        };
        super.addEventListener(type, type === 'message' ? late : listener, options);
      }
    } as typeof WebSocket;
  }, delayMs);
  return {
    loseAnswerTo: (text) =>
      page.evaluate((words) => {
        window.loseAnswerTo = words;
      }, text),
    mend: () =>
      page.evaluate(() => {
        window.isCut = false;
      }),
  };
}

/** One part in so many is left of the processor, in turns of so many milliseconds. */
const SLOWED_BY = 6;
const TURN_MS = 60;

/**
 * Stops the processes of pages for most of each turn, until the page closes. The throttling of the inspector would keep the
 * processor busy meanwhile; it is for browsers whose processes cannot be told, and for Windows, which knows no such stop.
 */
async function slowProcessor(page: Page): Promise<void> {
  const browser = page.context().browser();
  if (browser === null || process.platform === 'win32') {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED_BY });
    return;
  }
  const inspector = await browser.newBrowserCDPSession();
  let open = true;
  page.once('close', () => {
    open = false;
  });
  const renderers = async (): Promise<readonly number[]> => {
    const { processInfo } = await inspector.send('SystemInfo.getProcessInfo');
    return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : []));
  };
  const first = await renderers();
  if (first.length === 0) throw new Error('The browser tells of no process of a page.');
  const work = async (): Promise<void> => {
    for (let pids = first; open; pids = await renderers()) {
      tell(pids, 'SIGSTOP');
      await pause((TURN_MS * (SLOWED_BY - 1)) / SLOWED_BY);
      tell(pids, 'SIGCONT');
      await pause(TURN_MS / SLOWED_BY);
    }
  };
  // The browser of a test that failed may be gone.
  work().catch(() => {});
}

/** Sends a signal to those processes that are still there. */
function tell(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** What makes a page slow: a bad line, or an old machine. */
export const SLOWNESSES = ['network', 'processor'] as const;

/**
 * Prepares a page to be slow: 400 ms there and back and 50 kB/s, or a sixth of the processor. Call it before the page opens;
 * the function that it returns begins, because the program itself would take half a minute to load.
 */
export async function slowDown(
  page: Page,
  what: (typeof SLOWNESSES)[number],
): Promise<() => Promise<void>> {
  if (what === 'network') await slowNetwork(page, 200);
  return async () => {
    if (what === 'processor') return slowProcessor(page);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    // The delay does not count for sockets, the bytes in a second do.
    await devtools.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 400 },
      ...{ downloadThroughput: 50_000, uploadThroughput: 50_000 },
    });
  };
}
