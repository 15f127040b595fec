import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from './node.mjs'

/** Starts the application on the stand-in for Electron, hands its page to `take`, and ends it. */
async function withApplication(browser, folder, env, take) {
  const { startStandIn } = await import('../../test/shell/electron/start.ts')
  const main = join(root, 'dist/electron/main.js')
  const application = await startStandIn(browser, [main, '--data-dir', folder, '--port', '7080'], {
    env: { ...process.env, ...env },
  })
  let isRunning = true
  void application.ended.then(() => (isRunning = false))
  try {
    let page
    while (!page) {
      await wait(50)
      if (!isRunning) throw new Error(`The application ended.\n${application.output()}`)
      page = application.pages().find((one) => one.url().startsWith('http'))
    }
    await take(page)
  } finally {
    await application.stop()
  }
}

/** Takes the pictures of what only the application shows: the first run and its preferences. */
export async function photographShell(images, owner) {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-pictures-'))
  const { openBrowser } = await import('../../test/shell/electron/browser.ts')
  const browser = await openBrowser()
  const shoot = async (page, name) => {
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(images, name), animations: 'disabled' })
    console.log(join(images, name))
  }
  try {
    // The form of the first run begins with what git knows about the user.
    const home = join(folder, 'home')
    mkdirSync(home)
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada Okafor\n\temail = ada@example.com\n')
    const user = { HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig'), GIT_CONFIG_NOSYSTEM: '1' }
    await withApplication(browser, join(folder, 'empty'), user, async (page) => {
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      await shoot(page, 'first-run.png')
    })
    await withApplication(browser, join(folder, 'owned'), owner, async (page) => {
      await page.getByRole('navigation').first().waitFor()
      await page.goto(`${new URL(page.url()).origin}/-/profile/application`)
      await page.getByText('Data folder').waitFor()
      await shoot(page, 'preferences.png')
    })
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
