import { app, Menu } from 'electron'

import type { RecentProject } from '../bridge.ts'
import type { Shell } from '../handlers.ts'
import { text } from '../texts.ts'

/** Lists the projects opened last on the application's icon: the jump list on Windows, the dock menu on macOS. */
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
