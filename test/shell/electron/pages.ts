import { readFileSync } from 'node:fs'

import type { BrowserContext, CDPSession, Dialog, Page } from '@playwright/test'

import { peer, type Channel, type Peer } from './peer.ts'

// The pages of an application's windows, with Playwright. They are on the journey's end, so that one client controls a page. With
// two clients, a page may hang while the second one attaches.

/** A window has the number that the application gave it. A window that a page opened has a name. */
export type WindowId = number | string

export interface PageOptions {
  readonly preload?: string | undefined
  readonly width: number
  readonly height: number
}

/** Runs the built preload script in the page. `electron` is the module that Electron offers to a sandboxed preload script. */
function preloadScript(file: string): string {
  return `(() => {
    if (window !== window.top) return
    const received = {}
    window.__standInReceive = (channel, value) => (received[channel] ?? []).slice().forEach((listener) => listener({}, value))
    const electron = {
      contextBridge: { exposeInMainWorld: (name, value) => { window[name] = Object.freeze(value) } },
      ipcRenderer: {
        invoke: async (channel, ...args) => {
          const { error, value } = await window.__standInInvoke(channel, args)
          if (error !== undefined) throw new Error(error)
          return value
        },
        on: (channel, listener) => { (received[channel] ??= []).push(listener) },
        off: (channel, listener) => { received[channel] = (received[channel] ?? []).filter((other) => other !== listener) },
      },
      webUtils: { getPathForFile: () => '' },
    }
    const started = (process, require, module, exports) => {
      ${readFileSync(file, 'utf8')}
    }
    started({ platform: ${JSON.stringify(process.platform)}, versions: {} }, () => electron, { exports: {} }, {})
  })()`
}

interface Opened {
  readonly page: Page
  readonly cdp: CDPSession
  /** Settles when the page has the last URL from the application. */
  loading?: Promise<unknown>
}

/** Answers the calls of an application about its pages. Returns the opposite direction: the calls to the application. */
export function servePages(context: BrowserContext, channel: Channel): Peer {
  const windows = new Map<WindowId, Promise<Opened>>()
  const popups = new Map<WindowId, Page>()
  let lastPopup = 0
  let turn: Promise<unknown> = Promise.resolve()

  /**
   * Opens and closes pages one after another. Chromium may close a page that is being opened together with another one, and
   * Playwright's `exposeBinding`, which sends commands to all pages, never ends if one of them closes meanwhile.
   */
  const inTurn = <Value>(run: () => Promise<Value>): Promise<Value> => {
    const next = turn.then(run)
    turn = next.catch(() => undefined)
    return next
  }

  const of = (id: WindowId): Promise<Opened> => {
    const opened = windows.get(id)
    if (!opened) throw new Error('The window has no page.')
    return opened
  }

  /** Waits until the page loads nothing, because Chromium may not close a page that is receiving its document. */
  const settled = async (id: WindowId): Promise<Opened> => {
    const opened = await of(id)
    await opened.loading?.catch(() => undefined)
    return opened
  }

  /** Handles every requested document first. */
  const guard = async (id: WindowId, cdp: CDPSession): Promise<void> => {
    await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
    const { frameTree } = await cdp.send('Page.getFrameTree')
    cdp.on('Fetch.requestPaused', ({ requestId, request, frameId }) => {
      application
        .call<boolean>('navigates', id, request.url, frameId === frameTree.frame.id)
        .then((mayGo) =>
          mayGo
            ? cdp.send('Fetch.continueRequest', { requestId })
            : cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }),
        )
        .catch(() => undefined)
    })
  }

  const popUp = async (opener: WindowId, popup: Page): Promise<void> => {
    await popup.waitForURL(/^(?!about:blank)/, { waitUntil: 'commit' }).catch(() => undefined)
    lastPopup += 1
    const id = `popup ${String(lastPopup)}`
    popups.set(id, popup)
    const isAllowed = await application.call<boolean>('opens', opener, id, popup.url()).catch(() => false)
    if (!isAllowed) await inTurn(() => popup.close()).catch(() => undefined)
  }

  const leaves = async (id: WindowId, question: Dialog): Promise<void> => {
    const mayLeave =
      question.type() === 'beforeunload' && (await application.call<boolean>('unloads', id).catch(() => true))
    await (mayLeave ? question.accept() : question.dismiss()).catch(() => undefined)
  }

  const prepare = async (id: WindowId, page: Page, { preload, ...size }: PageOptions): Promise<Opened> => {
    const notify = (name: string, ...args: unknown[]) =>
      void application.call(name, id, ...args).catch(() => undefined)
    if (preload) {
      await page.exposeBinding('__standInInvoke', async ({ frame }, called: string, args: unknown[]) => {
        try {
          const sender = { url: frame.url(), parent: frame.parentFrame() !== null }
          return { value: await application.call<unknown>('invoke', called, sender, args) }
        } catch (error) {
          return { error: `Error invoking remote method '${called}': ${String(error)}` }
        }
      })
      await page.addInitScript(preloadScript(preload))
    }
    await page.setViewportSize(size)
    const cdp = await context.newCDPSession(page)
    await guard(id, cdp)
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) notify('navigated', frame.url())
    })
    page.on('popup', (popup) => void popUp(id, popup))
    page.on('crash', () => notify('crashed'))
    page.on('dialog', (question) => void leaves(id, question))
    page.on('close', () => notify('closed'))
    return { page, cdp }
  }

  const open = async (id: WindowId, options: PageOptions): Promise<Opened> =>
    prepare(id, popups.get(id) ?? (await context.newPage()), options)

  const application = peer(channel, {
    open: async (id: WindowId, options: PageOptions) => {
      const opened = inTurn(() => open(id, options))
      windows.set(id, opened)
      await opened
    },
    load: async (id: WindowId, url: string) => {
      const opened = await of(id)
      opened.loading = opened.page.goto(url, { waitUntil: 'domcontentloaded' })
      await opened.loading
    },
    reload: async (id: WindowId) => {
      await (await of(id)).page.reload()
    },
    send: async (id: WindowId, name: string, value: unknown) => {
      const { page } = await of(id)
      await page.evaluate(
        ([sentName, sent]) => {
          const receive = Reflect.get(window, '__standInReceive') as (...args: unknown[]) => void
          receive(sentName, sent)
        },
        [name, value] as const,
      )
    },
    press: async (id: WindowId, keys: string) => (await of(id)).page.keyboard.press(keys),
    back: async (id: WindowId) => void (await (await of(id)).page.goBack()),
    forward: async (id: WindowId) => void (await (await of(id)).page.goForward()),
    // Chromium asks only on pages that the user clicked or typed in. For Electron, closing the window counts as such.
    close: async (id: WindowId) => {
      const { page, cdp } = await settled(id)
      await cdp.send('Runtime.evaluate', { expression: '0', userGesture: true })
      await inTurn(async () => {
        // The page closes, or shows its question first.
        const answered = Promise.race(
          (['close', 'dialog'] as const).map((name) => page.waitForEvent(name as 'close', { timeout: 0 })),
        )
        await page.close({ runBeforeUnload: true })
        await answered
      })
    },
    destroy: async (id: WindowId) => {
      const { page } = await settled(id)
      await inTurn(() => page.close())
    },
    addCookie: (cookie: Parameters<BrowserContext['addCookies']>[0][number]) => context.addCookies([cookie]),
    end: () => context.close(),
  })
  return application
}
