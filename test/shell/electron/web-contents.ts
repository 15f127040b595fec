import { EventEmitter } from 'node:events'

import type {
  BrowserWindowConstructorOptions,
  KeyboardInputEvent,
  WebContents as ElectronWebContents,
  WindowOpenHandlerResponse,
} from 'electron'

import { app } from './app.ts'
import { refusable } from './event.ts'
import { answerTo, callPages } from './link.ts'
import type { PageOptions, WindowId } from './pages.ts'
import { session } from './system.ts'

const keys: Record<string, string> = { meta: 'Meta', control: 'Control', shift: 'Shift', alt: 'Alt' }

type Offered = Pick<ElectronWebContents, 'getURL' | 'isDestroyed' | 'loadURL' | 'reload' | 'send'>
type OpenHandler = (details: { url: string }) => WindowOpenHandlerResponse
/** A page that another page opened. */
export interface Popup {
  readonly id: WindowId
  readonly url: string
}

const all = new Map<WindowId, WebContents>()

export class WebContents extends EventEmitter implements Offered {
  readonly session = session.defaultSession
  readonly #id: WindowId
  readonly #page: Promise<void>
  #url: string
  /** The navigations that the shell itself started. Electron reports only those that the page starts. */
  #expected = ''
  #openHandler: OpenHandler | undefined
  #isDestroyed = false
  #isClosing = false
  readonly opened: ((popup: Popup, options: BrowserWindowConstructorOptions) => void)[] = []

  constructor(id: WindowId, options: PageOptions, url = '') {
    super()
    this.#id = id
    this.#url = url
    all.set(id, this)
    this.#page = callPages('open', id, options)
    this.#page.catch((error: unknown) => console.error(error))
  }

  /** Calls a function of the pages' end. Without a page this does nothing. */
  #callPage(name: string, ...args: unknown[]): void {
    this.#page.then(() => callPages(name, this.#id, ...args)).catch(() => undefined)
  }

  /** Whether a document may be loaded. */
  navigates(url: string, isMainFrame: boolean): boolean {
    if (isMainFrame && url === this.#expected) return true
    const event = refusable({ url, isMainFrame })
    this.emit('will-frame-navigate', event)
    if (isMainFrame) this.emit('will-navigate', event, url)
    return !event.defaultPrevented
  }

  navigated(url: string): void {
    this.#url = url
  }

  /** Whether a page with unsaved text may be closed. */
  unloads(): boolean {
    const event = refusable({})
    this.emit('will-prevent-unload', event)
    // In Electron, preventing this event lets the page go.
    if (event.defaultPrevented) return true
    if (this.#isClosing) app.stayOpen()
    this.#isClosing = false
    return false
  }

  /** Whether the page may open another window. */
  opens(id: WindowId, url: string): boolean {
    const answer = this.#openHandler?.({ url })
    if (answer?.action !== 'allow') return false
    for (const listener of this.opened) listener({ id, url }, answer.overrideBrowserWindowOptions ?? {})
    return true
  }

  closed(): void {
    this.#isDestroyed = true
    all.delete(this.#id)
    this.emit('destroyed')
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler
  }

  getURL = (): string => this.#url
  isDestroyed = (): boolean => this.#isDestroyed

  async loadURL(url: string): Promise<void> {
    await this.#page
    this.#expected = url
    await callPages('load', this.#id, url)
    this.emit('dom-ready', {})
    this.emit('did-finish-load', {})
  }

  reload(): void {
    this.#expected = this.#url
    this.#callPage('reload')
  }

  send(channel: string, value?: unknown): void {
    this.#callPage('send', channel, value)
  }

  sendInputEvent(event: KeyboardInputEvent): void {
    if (event.type !== 'keyDown') return
    const modifiers = (event.modifiers ?? []).map((modifier) => keys[modifier] ?? modifier)
    this.#callPage('press', [...modifiers, event.keyCode].join('+'))
  }

  readonly navigationHistory = {
    goBack: () => this.#callPage('back'),
    goForward: () => this.#callPage('forward'),
    canGoBack: () => true,
    canGoForward: () => true,
  }

  /** Asks the page, which may have unsaved text, before it is closed. */
  close(): void {
    this.#isClosing = true
    this.#callPage('close')
  }

  destroy(): void {
    this.#callPage('destroy')
  }
}

answerTo(
  'navigates',
  (id: WindowId, url: string, isMain: boolean) => all.get(id)?.navigates(url, isMain) ?? true,
)
answerTo('navigated', (id: WindowId, url: string) => all.get(id)?.navigated(url))
answerTo('unloads', (id: WindowId) => all.get(id)?.unloads() ?? true)
answerTo('opens', (opener: WindowId, id: WindowId, url: string) => all.get(opener)?.opens(id, url) ?? false)
answerTo('crashed', (id: WindowId) =>
  all.get(id)?.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }),
)
answerTo('closed', (id: WindowId) => all.get(id)?.closed())
