import { EventEmitter } from 'node:events'

import type {
  Menu as ElectronMenu,
  MenuItem as ElectronMenuItem,
  MenuItemConstructorOptions,
  Notification as ElectronNotification,
  NotificationConstructorOptions,
  PopupOptions,
  Tray as ElectronTray,
} from 'electron'

import { app } from './app.ts'

export class MenuItem implements Pick<ElectronMenuItem, 'label' | 'enabled' | 'visible' | 'checked' | 'id'> {
  readonly id: string
  readonly role: string | undefined
  readonly type: string
  label: string
  accelerator: string | undefined
  enabled: boolean
  visible: boolean
  checked: boolean
  readonly submenu: Menu | undefined
  readonly #options: MenuItemConstructorOptions

  constructor(options: MenuItemConstructorOptions) {
    this.#options = options
    this.id = options.id ?? ''
    this.role = options.role
    this.label = options.label ?? options.role ?? ''
    this.type = options.type ?? (options.submenu ? 'submenu' : 'normal')
    this.accelerator = options.accelerator ?? undefined
    this.enabled = options.enabled ?? true
    this.visible = options.visible ?? true
    this.checked = options.checked ?? false
    this.submenu = Array.isArray(options.submenu) ? Menu.buildFromTemplate(options.submenu) : undefined
  }

  /** Clicks the item, unless it is disabled. */
  click(): void {
    if (!this.enabled) return
    if (this.type === 'checkbox' || this.type === 'radio') this.checked = !this.checked
    if (this.role === 'quit') app.quit()
    // Electron passes the item, the window and the event; the shell's items read only the first.
    Reflect.apply(this.#options.click ?? (() => undefined), undefined, [this, undefined, {}])
  }
}

export class Menu implements Pick<ElectronMenu, 'popup' | 'closePopup'> {
  static #application: Menu | null = null
  /** The last menu that popped up at the pointer. */
  static lastPopup: Menu | null = null
  /** Where it popped up. */
  at: PopupOptions = {}
  readonly items: MenuItem[] = []

  static buildFromTemplate(template: readonly MenuItemConstructorOptions[]): Menu {
    const menu = new Menu()
    for (const options of template) menu.items.push(new MenuItem(options))
    return menu
  }

  static setApplicationMenu(menu: Menu | null): void {
    Menu.#application = menu
  }

  static getApplicationMenu(): Menu | null {
    return Menu.#application
  }

  getMenuItemById(id: string): MenuItem | null {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id)
      if (found) return found
    }
    return null
  }

  popup(options: PopupOptions = {}): void {
    this.at = options
    Menu.lastPopup = this
  }

  closePopup(): void {
    Menu.lastPopup = null
  }
}

export class Tray
  extends EventEmitter
  implements Pick<ElectronTray, 'destroy' | 'isDestroyed' | 'setToolTip' | 'setTitle'>
{
  static readonly all: Tray[] = []
  menu: Menu | null = null
  toolTip = ''
  #isDestroyed = false

  constructor(_image: unknown) {
    super()
    if (process.env['STAND_IN_NO_TRAY']) throw new Error('This desktop has no tray.')
    Tray.all.push(this)
  }

  setToolTip(text: string): void {
    this.toolTip = text
  }

  setTitle = (): void => undefined
  setImage = (): void => undefined

  setContextMenu(menu: Menu | null): void {
    this.menu = menu
  }

  destroy(): void {
    this.#isDestroyed = true
  }

  isDestroyed(): boolean {
    return this.#isDestroyed
  }
}

export class Notification
  extends EventEmitter
  implements Pick<ElectronNotification, 'show' | 'close' | 'title' | 'body'>
{
  static readonly shown: Notification[] = []
  title: string
  body: string

  constructor(options: NotificationConstructorOptions = {}) {
    super()
    this.title = options.title ?? ''
    this.body = options.body ?? ''
  }

  static isSupported(): boolean {
    return true
  }

  show(): void {
    Notification.shown.push(this)
  }

  close(): void {
    this.emit('close', {})
  }
}
