import { EventEmitter } from 'node:events'

import type {
  BrowserWindow as ElectronBrowserWindow,
  BrowserWindowConstructorOptions,
  Rectangle,
} from 'electron'

import { app } from './app.ts'
import { refusable } from './event.ts'
import type { Menu } from './menu.ts'
import { WebContents, type Popup } from './web-contents.ts'

type Offered = Pick<
  ElectronBrowserWindow,
  | 'close'
  | 'destroy'
  | 'focus'
  | 'getNormalBounds'
  | 'hide'
  | 'isDestroyed'
  | 'isFocused'
  | 'isMaximized'
  | 'isMinimized'
  | 'isVisible'
  | 'loadURL'
  | 'maximize'
  | 'minimize'
  | 'restore'
  | 'setBackgroundColor'
  | 'setOverlayIcon'
  | 'show'
>

let lastId = 0

/** A window is a page of the browser. Its visibility, focus and size are stored here. */
export class BrowserWindow extends EventEmitter implements Offered {
  static readonly #all = new Set<BrowserWindow>()
  readonly id: number
  readonly options: BrowserWindowConstructorOptions
  readonly webContents: WebContents
  /** The menu of the window: none, or that of the application if it has none of its own. */
  menu: Menu | null | undefined
  /** The overlay icon in the taskbar of Windows, with its description. */
  overlay: string | undefined
  readonly #bounds: Rectangle
  #isVisible: boolean
  #isMaximized = false
  #isMinimized = false
  #isDestroyed = false
  #isFocused = false

  constructor(options: BrowserWindowConstructorOptions = {}, popup?: Popup) {
    super()
    lastId += 1
    this.id = lastId
    this.options = options
    this.#isVisible = options.show !== false
    this.#bounds = {
      x: options.x ?? 100,
      y: options.y ?? 100,
      width: options.width ?? 800,
      height: options.height ?? 600,
    }
    const { width, height } = this.#bounds
    const preload = options.webPreferences?.preload
    this.webContents = new WebContents(popup?.id ?? this.id, { preload, width, height }, popup?.url)
    this.webContents.on('destroyed', () => this.#closed())
    this.webContents.once('dom-ready', () => this.emit('ready-to-show'))
    this.webContents.opened.push((opened, override) => {
      const child = new BrowserWindow({ ...override, show: true }, opened)
      this.webContents.emit('did-create-window', child, { url: opened.url })
    })
    BrowserWindow.#all.add(this)
    app.windows.add(this)
    app.emit('web-contents-created', {}, this.webContents)
  }

  static getAllWindows(): BrowserWindow[] {
    return [...BrowserWindow.#all]
  }

  static getFocusedWindow(): BrowserWindow | null {
    return [...BrowserWindow.#all].find((window) => window.#isFocused) ?? null
  }

  #closed(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    BrowserWindow.#all.delete(this)
    this.emit('closed')
    app.windowClosed(this)
  }

  loadURL = (url: string): Promise<void> => this.webContents.loadURL(url)
  isVisible = (): boolean => this.#isVisible
  isFocused = (): boolean => this.#isFocused
  isMaximized = (): boolean => this.#isMaximized
  isMinimized = (): boolean => this.#isMinimized
  isDestroyed = (): boolean => this.#isDestroyed
  getNormalBounds = (): Rectangle => this.#bounds
  setBackgroundColor = (): void => undefined
  setTitleBarOverlay = (): void => undefined
  setProgressBar = (): void => undefined

  setMenu(menu: Menu | null): void {
    this.menu = menu
  }

  setOverlayIcon(image: unknown, description: string): void {
    this.overlay = image === null ? undefined : description
  }

  show(): void {
    this.#isVisible = true
    this.focus()
    this.emit('show')
  }

  hide(): void {
    this.#isVisible = false
    this.#isFocused = false
    this.emit('hide')
  }

  focus(): void {
    for (const window of BrowserWindow.#all) window.#isFocused = window === this
  }

  maximize(): void {
    this.#isMaximized = true
  }

  minimize(): void {
    this.#isMinimized = true
  }

  restore(): void {
    this.#isMinimized = false
  }

  close(): void {
    if (this.#isDestroyed) return
    const event = refusable({})
    this.emit('close', event)
    if (event.defaultPrevented) app.stayOpen()
    else this.webContents.close()
  }

  destroy(): void {
    this.webContents.destroy()
    this.#closed()
  }
}
