import { app, Menu } from 'electron'

import type { RecentProject } from '../bridge.ts'
import type { Shell } from '../handlers.ts'
import { text } from '../texts.ts'

/**
 * Shows the recently opened projects on the icon of the application: in the jump list on Windows, in the dock menu on
 * macOS.
 */
export function setJumpList(of: Pick<Shell, 'goTo'>, projects: readonly RecentProject[]): void {
  if (process.platform === 'win32') {
    const items = projects.map(({ name, path }) => ({
      type: 'task' as const,
      title: name,
      program: process.execPath,
      args: `deskforge:/${path}`,
    }))
    app.setJumpList(items.length === 0 ? null : [{ type: 'custom', name: text('tray.recent'), items }])
  }
  const items = projects.map(({ name, path }) => ({ label: name, click: () => of.goTo(path) }))
  app.dock?.setMenu(Menu.buildFromTemplate(items))
}
