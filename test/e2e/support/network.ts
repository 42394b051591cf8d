import type { Page } from '@playwright/test';

/** The network between a page and its host, as a test wants it. */
export interface Network {
  /**
   * Lets the next message of the page that holds `text` arrive, and nothing after it in either direction on that
   * connection: its answer is lost, and no socket is told.
   */
  loseAnswerTo(text: string): Promise<void>;
}

declare global {
  interface Window {
    /** The text whose answer is to be lost next. */
    loseAnswerTo?: string | undefined;
  }
}

/** Puts a network with a delay in each direction before the sockets of a page. Call it before the page opens. */
export async function slowNetwork(page: Page, delayMs: number): Promise<Network> {
  await page.addInitScript((delay) => {
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      #dead = false;
      override send(data: string) {
        if (this.#dead) return;
        const { loseAnswerTo } = window;
        if (loseAnswerTo !== undefined && String(data).includes(loseAnswerTo)) {
          window.loseAnswerTo = undefined;
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
  };
}
