import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

/**
 * Takes pictures of a journey, one after another, into the folder that `DESKFORGE_FILM` names; without it, none. They are
 * looked at by people.
 */
export function filmOf(name: string): (page: Page, step: string) => Promise<void> {
  const folder = process.env['DESKFORGE_FILM']
  let count = 0
  return async (page, step) => {
    if (!folder) return
    count += 1
    mkdirSync(join(folder, name), { recursive: true })
    const file = `${String(count).padStart(2, '0')}-${step.replaceAll(' ', '-')}.png`
    await page.screenshot({ path: join(folder, name, file), animations: 'disabled' })
  }
}
