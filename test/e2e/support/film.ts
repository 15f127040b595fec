import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

/**
 * Takes numbered screenshots of a journey in the folder of `DESKFORGE_FILM`. Without the variable it takes none. The
 * screenshots are for review by people.
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
