import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'

import type { CDPSession, Page } from '@playwright/test'
import type {
  BrowserWindowConstructorOptions,
  KeyboardInputEvent,
  WebContents as ElectronWebContents,
  WindowOpenHandlerResponse,
} from 'electron'

import { app } from './app.ts'
import { browserOf, pagesMayOpen } from './browser.ts'
import { refusable } from './event.ts'
import { ipcMain } from './ipc-main.ts'
import { session } from './system.ts'

const keys: Record<string, string> = { meta: 'Meta', control: 'Control', shift: 'Shift', alt: 'Alt' }

/** Runs the built preload script in the page; `electron` there is what Electron offers a sandboxed preload. */
function preloadScript(file: string): string {
  return `(() => {
    if (window !== window.top) return
    const received = {}
    window.__standInReceive = (channel, value) => (received[channel] ?? []).slice().forEach((one) => one({}, value))
    const electron = {
      contextBridge: { exposeInMainWorld: (name, value) => { window[name] = Object.freeze(value) } },
      ipcRenderer: {
        invoke: async (channel, ...args) => {
          const { error, value } = await window.__standInInvoke(channel, args)
          if (error !== undefined) throw new Error(error)
          return value
        },
        on: (channel, listener) => { (received[channel] ??= []).push(listener) },
        off: (channel, listener) => { received[channel] = (received[channel] ?? []).filter((one) => one !== listener) },
      },
      webUtils: { getPathForFile: () => '' },
    }
    const started = (process, require, module, exports) => {
      ${readFileSync(file, 'utf8')}
    }
    started({ platform: ${JSON.stringify(process.platform)}, versions: {} }, () => electron, { exports: {} }, {})
  })()`
}

type Offered = Pick<ElectronWebContents, 'getURL' | 'isDestroyed' | 'loadURL' | 'reload' | 'send'>
type OpenHandler = (details: { url: string }) => WindowOpenHandlerResponse

export class WebContents extends EventEmitter implements Offered {
  readonly page: Promise<Page>
  readonly session = session.defaultSession
  readonly #preload: string | undefined
  #url = ''
  /** What the shell itself asked for; Electron reports only navigations that the page begins. */
  #expected = ''
  #openHandler: OpenHandler | undefined
  #cdp: CDPSession | undefined
  #isDestroyed = false
  #isClosing = false
  /** The page was asked for; before that it may wait for a journey that connects. */
  isOpening = false
  /** Settles when the page has loaded the last address. */
  loading: Promise<unknown> = Promise.resolve()
  readonly opened: ((page: Page, options: BrowserWindowConstructorOptions) => void)[] = []

  constructor(preload: string | undefined, existing: Page | undefined) {
    super()
    this.#preload = preload
    // Electron has no address before a page commits one.
    this.#url = existing?.url().replace(/^about:blank$/, '') ?? ''
    this.page = this.#open(existing)
    this.page.catch((error: unknown) => console.error(error))
  }

  async #open(existing: Page | undefined): Promise<Page> {
    const { context } = await browserOf(app.getPath('userData'))
    if (!existing) await pagesMayOpen()
    this.isOpening = true
    const page = existing ?? (await context.newPage())
    if (this.#preload) {
      await page.exposeBinding('__standInInvoke', async ({ frame }, channel: string, args: unknown[]) => {
        try {
          const sender = { url: frame.url(), parent: frame.parentFrame() }
          return { value: await ipcMain.invoke(channel, sender, args) }
        } catch (error) {
          return { error: `Error invoking remote method '${channel}': ${String(error)}` }
        }
      })
      await page.addInitScript(preloadScript(this.#preload))
    }
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#url = frame.url()
    })
    page.on('popup', (popup) => void this.#popup(popup))
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }))
    page.on('dialog', (one) => {
      if (one.type() !== 'beforeunload') return void one.dismiss()
      const event = refusable({})
      this.emit('will-prevent-unload', event)
      // Electron's meaning: refusing the prevention lets the page go.
      if (event.defaultPrevented) return void one.accept()
      if (this.#isClosing) app.stayOpen()
      this.#isClosing = false
      void one.dismiss()
    })
    page.on('close', () => {
      this.#isDestroyed = true
      this.emit('destroyed')
    })
    this.#cdp = await context.newCDPSession(page)
    await this.#guard(this.#cdp)
    return page
  }

  /** Every document that is asked for passes here first. */
  async #guard(cdp: CDPSession): Promise<void> {
    await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
    const { frameTree } = await cdp.send('Page.getFrameTree')
    cdp.on('Fetch.requestPaused', ({ requestId, request, frameId }) => {
      const isMain = frameId === frameTree.frame.id
      const isOwn = isMain && request.url === this.#expected
      const event = refusable({ url: request.url, isMainFrame: isMain })
      if (!isOwn) {
        this.emit('will-frame-navigate', event)
        if (isMain) this.emit('will-navigate', event, request.url)
      }
      const step = event.defaultPrevented
        ? cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        : cdp.send('Fetch.continueRequest', { requestId })
      step.catch(() => undefined)
    })
  }

  async #popup(popup: Page): Promise<void> {
    await popup.waitForURL(/^(?!about:blank)/, { waitUntil: 'commit' }).catch(() => undefined)
    const answer = this.#openHandler?.({ url: popup.url() })
    if (answer?.action !== 'allow') return void popup.close().catch(() => undefined)
    for (const listener of this.opened) listener(popup, answer.overrideBrowserWindowOptions ?? {})
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler
  }

  getURL = (): string => this.#url
  isDestroyed = (): boolean => this.#isDestroyed

  async loadURL(url: string): Promise<void> {
    const page = await this.page
    await pagesMayOpen()
    this.#expected = url
    const loading = page.goto(url, { waitUntil: 'domcontentloaded' })
    this.loading = loading.catch(() => undefined)
    await loading
    this.emit('dom-ready', {})
    this.emit('did-finish-load', {})
  }

  reload(): void {
    this.#expected = this.#url
    void this.page.then((page) => page.reload()).catch(() => undefined)
  }

  send(channel: string, value?: unknown): void {
    void this.page
      .then((page) =>
        page.evaluate(
          ([name, sent]) => {
            const receive = Reflect.get(window, '__standInReceive') as (...args: unknown[]) => void
            receive(name, sent)
          },
          [channel, value] as const,
        ),
      )
      .catch(() => undefined)
  }

  sendInputEvent(event: KeyboardInputEvent): void {
    if (event.type !== 'keyDown') return
    const modifiers = (event.modifiers ?? []).map((one) => keys[one] ?? one)
    void this.page.then((page) => page.keyboard.press([...modifiers, event.keyCode].join('+')))
  }

  readonly navigationHistory = {
    goBack: () => void this.page.then((page) => page.goBack()),
    goForward: () => void this.page.then((page) => page.goForward()),
    canGoBack: () => true,
    canGoForward: () => true,
  }

  /** Asks the page, which may have unsaved text, before it goes. */
  close(): void {
    this.#isClosing = true
    void this.#whenFree((page) => this.#askToClose(page))
  }

  /** A page that closes while a journey connects would keep that from ending, like one that opens. */
  #whenFree(run: (page: Page) => Promise<void>): Promise<void> {
    return this.page
      .then(async (page) => {
        await pagesMayOpen()
        await run(page)
      })
      .catch(() => undefined)
  }

  /** Chromium asks only on pages that the user clicked or typed into. Electron counts closing the window as that. */
  async #askToClose(page: Page): Promise<void> {
    await this.#cdp?.send('Runtime.evaluate', { expression: '0', userGesture: true })
    await page.close({ runBeforeUnload: true })
  }

  destroy(): void {
    void this.#whenFree((page) => page.close())
  }
}
